// Dates, datetimes, times of day and durations: ISO 8601 on the page, the numbers of docs/spec/tree-v1.md within.
// A datetime with a time zone is read with its offset and shown in UTC.

const DAY_US = 86_400_000_000;
const MOMENT_HINTS = { date: "2021-03-04", datetime: "2021-03-04 12:30", time: "12:30", duration: "3 days 12:30" };

/** An example of what to type. */
function momentHint(column) {
  return `e.g. ${MOMENT_HINTS[column.temporal]}${column.zoned ? "+01:00" : ""}`;
}

const clockUs = ([, hour, minute, second = "0", fraction = ""]) =>
  ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1e6 + Number(fraction.padEnd(6, "0"));

const CLOCK = String.raw`([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?`;

/** Days since 1970-01-01 of a date; null where there is none such. */
function dayNumber(text) {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? null : ms / 86_400_000;
}

function datetimeNumber(text, zoned) {
  const parts = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)(?:[T ]${CLOCK} ?(Z|[+-]\\d\\d:\\d\\d(?::\\d\\d)?)?)?$`).exec(text);
  const day = parts && dayNumber(parts[1]);
  if (day === null || (parts[6] !== undefined) !== zoned) return null;
  const clock = parts[2] === undefined ? 0 : clockUs(parts.slice(1));
  const [, sign, ...shift] = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(parts[6] ?? "") ?? [null, "+", 0, 0];
  const offset = clockUs([null, ...shift]);
  return day * DAY_US + clock - (sign === "-" ? -offset : offset);
}

function durationNumber(text) {
  const parts = new RegExp(`^(-?)(?:(\\d{1,9}) days?(?: (?=\\d)|$))?(?:${CLOCK})?$`).exec(text);
  if (!parts || (parts[2] === undefined && parts[3] === undefined)) return null;
  const clock = parts[3] === undefined ? 0 : clockUs(parts.slice(2));
  const size = Number(parts[2] ?? 0) * DAY_US + clock;
  return parts[1] ? -size : size;
}

/** What was typed, as the number that tests compare; null where it is none. */
function momentNumber(column, text) {
  const plain = text.trim().replace("−", "-");
  if (column.temporal === "duration") return durationNumber(plain);
  if (column.temporal === "time") {
    const parts = new RegExp(`^${CLOCK}$`).exec(plain);
    return parts && clockUs(parts);
  }
  const value = datetimeNumber(plain, Boolean(column.zoned));
  if (column.temporal === "datetime" || value === null) return value;
  return value % DAY_US === 0 ? value / DAY_US : null;
}

function clockWords(us) {
  const [second, fraction] = [Math.floor(us / 1e6) % 60, us % 1e6];
  const two = (n) => String(n).padStart(2, "0");
  const words = `${two(Math.floor(us / 3600e6))}:${two(Math.floor(us / 60e6) % 60)}`;
  if (!second && !fraction) return words;
  return `${words}:${two(second)}${fraction ? `.${String(fraction).padStart(6, "0").replace(/0+$/, "")}` : ""}`;
}

/** The number in words, as briefly as is exact. */
function momentWords(column, value) {
  if (column.temporal === "time") return clockWords(value);
  if (column.temporal === "duration") {
    const days = Math.floor(Math.abs(value) / DAY_US);
    const clock = Math.abs(value) % DAY_US;
    const words = `${days} day${days === 1 ? "" : "s"}${clock ? ` ${clockWords(clock)}` : ""}`;
    return (value < 0 ? "-" : "") + (days ? words : clockWords(clock));
  }
  const day = column.temporal === "date" ? value : Math.floor(value / DAY_US);
  const iso = new Date(day * 86_400_000).toISOString();
  const date = iso.slice(0, iso.indexOf("T"));
  if (column.temporal === "date") return date;
  return `${date} ${clockWords(value - day * DAY_US)}${column.zoned ? "+00:00" : ""}`;
}
