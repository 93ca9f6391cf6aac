// Asking for a value of a column: a field to type a number or a date into, or the categories to choose from.

/** What was typed as a number, with a comma or a point; null where it is none. */
function typedNumber(text) {
  const plain = text
    .trim()
    .replace(/^([^.,]*),([^.,]*)$/, "$1.$2")
    .replace("−", "-");
  const value = plain === "" ? NaN : Number(plain);
  return Number.isNaN(value) ? null : value;
}

/** The words for an answer. */
function answerWords(column, answer) {
  if (answer === MISSING) return "unknown";
  if (answer === OTHER) return "something else";
  if (column.temporal) return momentWords(column, answer);
  return column.kind === "number" ? number(answer) : column.words[answer];
}

/** A field for one column; `onChange(answer)` hears of every answer. `.set(answer)` shows one. */
function valueField(column, label, onChange, hint = "unknown") {
  if (column.kind === "number") {
    const input = html("input", {
      type: "text",
      inputmode: column.temporal ? "text" : "decimal",
      "aria-label": label,
      placeholder: column.temporal ? momentHint(column) : hint,
      autocomplete: "off",
    });
    input.addEventListener("input", () => {
      const value = column.temporal ? momentNumber(column, input.value) : typedNumber(input.value);
      const empty = input.value.trim() === "";
      input.setAttribute("aria-invalid", String(value === null && !empty));
      if (value !== null || empty) onChange(empty ? MISSING : value);
    });
    const set = (answer) => {
      const words = column.temporal && answer !== MISSING ? momentWords(column, answer) : String(answer);
      input.value = answer === MISSING ? "" : words;
      input.setAttribute("aria-invalid", "false");
    };
    return { element: input, set };
  }
  const choices = [
    [MISSING, "unknown"],
    ...column.words.map((words, place) => [String(place), words]),
    [OTHER, "something else"],
  ];
  const select = html(
    "select",
    { "aria-label": label },
    ...choices.map(([value, words]) => html("option", { value }, words)),
  );
  select.addEventListener("change", () =>
    onChange(select.value === MISSING || select.value === OTHER ? select.value : Number(select.value)),
  );
  const set = (answer) => {
    select.value = String(answer);
  };
  return { element: select, set };
}
