"""Objects of a table in parts: rows of equal codes, wherever they lie, are one.

Every part finds its own objects. Those that several parts have are known by 128 bits of a hash of their
codes, and told apart by the codes themselves; the first part that has one takes it over from the others. So
what travels is a hash of every object, and the sums of those that are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.distributed.coded_part import CodedPart, ObjectTarget, TargetSpec, header_of
from thriftree.distributed.parts import Parts

Integers = NDArray[np.int64]
Positions = NDArray[np.intp]
_LOW: Final = 2**32 - 1


@dataclass
class SumsOfObjects:
    """What the rows of each object add up to, in fixed point."""

    rows: Integers
    weight: Integers  # objects x classes or bins: growth weight
    sample: Integers  # sample weight, where that differs
    moments: Integers  # objects x (moment, square) x (upper bits, lower 32); none of classes
    value: NDArray[np.float64]  # the target of the first row; none of classes

    @classmethod
    def joined(cls, several: Sequence[SumsOfObjects]) -> SumsOfObjects:
        """One after the other."""
        return cls(*(np.concatenate([getattr(s, one.name) for s in several]) for one in fields(cls)))

    def taken(self, which: Positions) -> SumsOfObjects:
        """Some of the objects."""
        return SumsOfObjects(*(getattr(self, one.name)[which] for one in fields(self)))

    def add_at(self, which: Positions, other: SumsOfObjects) -> None:
        """Adds the sums of other rows of these objects."""
        for name in ("rows", "weight", "sample", "moments"):
            np.add.at(getattr(self, name), which, getattr(other, name))


@dataclass
class ObjectPart:
    """The objects that a part has taken over, not yet a part to count."""

    index: int
    table: _core.Table | None
    sums: SumsOfObjects


@dataclass(frozen=True)
class ObjectNews:
    """What decides how objects weigh."""

    n_objects: int
    weights: tuple[int, int]  # least and largest growth weight
    rows: tuple[int, int]  # the same of rows,
    samples: tuple[int, int]  # of sample weight, and
    sample_total: int  # of all
    largest: tuple[int, int]  # moment and square


@dataclass(frozen=True)
class Weighing:
    """How the objects of a fit weigh, as all parts agreed."""

    growth: str  # "weight", "sample", "rows" or "one": what an object weighs
    sample: str  # the same of its sample weight; "one": no other than its weight
    shifts: tuple[int, int]  # bits that moments and squares lose
    members: bool


@dataclass(frozen=True)
class PartsOfObjects:
    """Objects as parts to count, and the header of them all."""

    parts: Parts
    header: _core.TargetHeader


def objects_of(
    coded: Parts, spec: TargetSpec, rows: _core.TargetHeader, weigh: str, members_matter: bool
) -> PartsOfObjects | None:
    """The objects of all parts; None where every row is one and weighs as it did."""
    hashes = coded.map(object_hashes, spec)
    shared = _shared(hashes)
    owned, given_up = _owners(coded.map(shared_objects, spec, shared), shared)
    parts = coded.keep(own_objects, spec, given_up, owned)
    news: ObjectNews = parts.reduce(object_news, add_news)
    header, weighing, changed = _weighing(news, rows, weigh, members_matter)
    if news.n_objects == rows.n_rows and not changed:
        return None
    finished = parts.keep(finished_part, weighing, spec, _fields_of(header))
    return PartsOfObjects(finished, header)


def _sums_of(part: CodedPart, spec: TargetSpec) -> tuple[Positions, SumsOfObjects]:
    """The first row of each object of a part, and the sums of all its rows."""
    if part.table is None:
        raise AssertionError("a part without rows has no objects")
    number, first = part.table.objects()
    target = spec.target(part.y, part.weight)
    n, groups = len(first), spec.n_classes or spec.n_bins
    ones = np.ones(len(part), np.int64)
    growth = target.growth if len(target.growth) else ones

    def summed(figure: NDArray[Any]) -> Integers:
        sums = np.zeros(n, np.int64)
        np.add.at(sums, number, figure)
        return sums

    weight = np.zeros((n, groups), np.int64)
    np.add.at(weight, (number, target.labels), growth)
    sample = summed(target.sample) if len(target.sample) else np.zeros(n, np.int64)
    moments, value = np.zeros((n, 2, 2), np.int64), np.zeros(n)
    if not spec.n_classes:
        for i, figure in enumerate((target.moment, target.square)):
            moments[:, i, 0], moments[:, i, 1] = summed(figure >> 32), summed(figure & _LOW)
        value = part.y[first]
    return first.astype(np.intp), SumsOfObjects(summed(ones), weight, sample, moments, value)


def object_hashes(part: CodedPart, spec: TargetSpec) -> NDArray[np.uint64]:
    """Of each object of a part."""
    if part.table is None:
        return np.empty((0, 2), np.uint64)
    first = part.table.objects()[1]
    return _core.row_hashes(part.table)[first]


def _shared(hashes: Sequence[NDArray[np.uint64]]) -> list[Positions]:
    """By part, its objects whose hash another part has, too."""
    everything = np.ascontiguousarray(np.concatenate(hashes)).view("V16").reshape(-1)
    _, which, times = np.unique(everything, return_inverse=True, return_counts=True)
    ends = np.cumsum([len(one) for one in hashes])
    return [np.flatnonzero(times[some] > 1) for some in np.split(which, ends[:-1])]


def shared_objects(
    part: CodedPart, spec: TargetSpec, shared: Sequence[Positions]
) -> tuple[NDArray[np.uint32], SumsOfObjects] | None:
    """The codes and sums of the objects that other parts may have, too."""
    mine = shared[part.index]
    if part.table is None or not len(mine):
        return None
    first, sums = _sums_of(part, spec)
    rows = part.table.sample(first[mine].astype(np.uint32))
    codes = np.stack([rows.codes(j) for j in range(rows.n_columns)], axis=1)
    return codes, sums.taken(mine)


def _owners(
    answers: Sequence[tuple[NDArray[np.uint32], SumsOfObjects] | None], shared: Sequence[Positions]
) -> tuple[list[tuple[Positions, SumsOfObjects] | None], list[Positions]]:
    """By part, what is added to its objects, and which of them it gives up."""
    owned: list[tuple[Positions, SumsOfObjects] | None] = [None] * len(answers)
    given_up = [np.empty(0, np.intp) for _ in answers]
    told = [(i, answer) for i, answer in enumerate(answers) if answer is not None]
    if not told:
        return owned, given_up
    codes = np.concatenate([answer[0] for _, answer in told])
    part = np.concatenate([np.full(len(answer[0]), i) for i, answer in told])
    place = np.concatenate([shared[i] for i, _ in told])
    sums = SumsOfObjects(
        *(
            np.concatenate([getattr(answer[1], one.name) for _, answer in told])
            for one in fields(SumsOfObjects)
        )
    )
    # The first of equal codes is that of the first part, since these come in order.
    _, owner, which = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    first = owner[which.reshape(-1)]
    gives = np.flatnonzero(first != np.arange(len(first)))
    for i in range(len(answers)):
        given_up[i] = place[gives[part[gives] == i]]
        comes = gives[part[first[gives]] == i]
        if len(comes):
            owned[i] = place[first[comes]], sums.taken(comes)
    return owned, given_up


def own_objects(
    part: CodedPart,
    spec: TargetSpec,
    given_up: Sequence[Positions],
    owned: Sequence[tuple[Positions, SumsOfObjects] | None],
) -> ObjectPart:
    """The objects that are this part's, with all their rows."""
    none = np.zeros(0, np.int64)
    nothing = SumsOfObjects(none, none, none, none, np.zeros(0))
    if part.table is None:
        return ObjectPart(part.index, None, nothing)
    first, sums = _sums_of(part, spec)
    comes = owned[part.index]
    if comes is not None:
        sums.add_at(*comes)
    kept = np.setdiff1d(np.arange(len(first)), given_up[part.index])
    if not len(kept):
        return ObjectPart(part.index, None, nothing)
    rows = np.sort(first[kept])  # objects are numbered as they appear
    return ObjectPart(part.index, part.table.sample(rows.astype(np.uint32)), sums.taken(kept))


def object_news(part: ObjectPart) -> ObjectNews:
    """What one part says of its objects."""
    sums = part.sums
    if part.table is None:
        most = np.iinfo(np.int64).max
        return ObjectNews(0, (most, 0), (most, 0), (most, 0), 0, (0, 0))
    weight = sums.weight.sum(axis=1)
    largest = [max(map(abs, _joined(sums.moments[:, i])), default=0) for i in range(2)]
    return ObjectNews(
        len(weight),
        (int(weight.min()), int(weight.max())),
        (int(sums.rows.min()), int(sums.rows.max())),
        (int(sums.sample.min()), int(sums.sample.max())),
        int(sums.sample.sum()),
        (largest[0], largest[1]),
    )


def _joined(halves: Integers) -> list[int]:
    return [(high << 32) + low for high, low in halves.tolist()]


def add_news(a: ObjectNews, b: ObjectNews) -> ObjectNews:
    """What two parts say together."""
    return ObjectNews(
        a.n_objects + b.n_objects,
        (min(a.weights[0], b.weights[0]), max(a.weights[1], b.weights[1])),
        (min(a.rows[0], b.rows[0]), max(a.rows[1], b.rows[1])),
        (min(a.samples[0], b.samples[0]), max(a.samples[1], b.samples[1])),
        a.sample_total + b.sample_total,
        (max(a.largest[0], b.largest[0]), max(a.largest[1], b.largest[1])),
    )


def _weighing(
    news: ObjectNews, rows: _core.TargetHeader, weigh: str, members_matter: bool
) -> tuple[_core.TargetHeader, Weighing, bool]:
    """How objects weigh, as `coalesce` (cpp/table/objects.cpp) has it; and whether that differs from how
    their rows do.
    """
    all_differ = news.n_objects == rows.n_rows
    header = header_of(_fields_of(rows))
    header.n_rows = news.n_objects
    growth, sample = ("weight" if rows.weighted else "one"), ("sample" if rows.samples else "one")
    shifts = (0, 0)
    if not all_differ:
        growth, header.unit_samples = "weight", False  # of rows that weigh 1, as many as there are
        if not rows.samples and rows.weighted and rows.unit_samples:
            sample, header.sample_unit = "rows", 1.0
        shifts = _bits_over(news.largest[0]), _bits_over(news.largest[1])
        header.moment_unit *= 2.0 ** shifts[0]
        header.square_unit *= 2.0 ** shifts[1]
    range_of = {"weight": news.weights, "sample": news.samples, "rows": news.rows}
    changed = False
    if weigh == "samples" and header.class_factors:
        samples = news.sample_total * rows.sample_unit if rows.samples else float(rows.n_rows)
        mean = rows.total * rows.growth_unit / samples
        header.class_factors = [factor / mean for factor in header.class_factors]
        header.factors_apart = True
        growth, header.growth_unit = sample, 1.0 if sample == "one" else header.sample_unit
        sample, header.sample_unit, changed = "one", 1.0, True
    if growth != "one" and range_of[growth][0] == range_of[growth][1]:
        weight = range_of[growth][0] * header.growth_unit
        header.moment_unit /= weight
        header.square_unit /= weight
        if sample != "one" and range_of[sample][0] == range_of[sample][1]:
            sample = "one"
        header.unit_samples = sample == "one"
        growth, header.growth_unit, changed = "one", 1.0, True
    if weigh == "alike" and growth != "one":
        if sample == "one" and not header.unit_samples:
            sample, header.sample_unit = growth, header.growth_unit
        growth, header.growth_unit, changed = "one", 1.0, True
    members = members_matter and not all_differ
    header.members, header.weighted, header.samples = members, growth != "one", sample != "one"
    header.total, header.lightest, header.heaviest = news.n_objects, 1, 1
    if growth != "one":
        header.total = {"weight": rows.total, "sample": news.sample_total, "rows": rows.n_rows}[growth]
        header.lightest, header.heaviest = range_of[growth]
    return header, Weighing(growth, sample, shifts, members), changed


def _bits_over(largest: int) -> int:
    return max(0, largest.bit_length() - 62)


_FIELDS: Final = (
    *("n_rows", "n_classes", "n_bins", "priors", "class_factors", "factors_apart", "unit_samples"),
    *("growth_unit", "sample_unit", "growth_floor", "sample_floor", "center", "moment_unit", "square_unit"),
    *("weighted", "samples", "members", "total", "lightest", "heaviest"),
)


def _fields_of(header: _core.TargetHeader) -> dict[str, Any]:
    return {name: getattr(header, name) for name in _FIELDS}


def finished_part(part: ObjectPart, how: Weighing, spec: TargetSpec, header: dict[str, Any]) -> CodedPart:
    """Objects as a part to count."""
    if part.table is None:
        return CodedPart(part.index, None, np.empty(0), None)
    sums, empty = part.sums, np.empty(0, np.int64)
    weight = sums.weight.sum(axis=1)
    figure = {"weight": weight, "sample": sums.sample, "rows": sums.rows, "one": empty}
    moment, square = empty, empty
    if not spec.n_classes:
        moment, square = (_narrowed(sums.moments[:, i], how.shifts[i]) for i in range(2))
    arrays = (
        _heaviest(sums.weight),
        figure[how.growth],
        figure[how.sample],
        (sums.rows if how.members else empty).astype(np.uint32),
        moment,
        square,
        sums.value if not spec.n_classes else np.empty(0),
    )
    target = ObjectTarget(header, arrays)
    return CodedPart(part.index, part.table, np.zeros(len(weight)), None, _behind(sums, weight, spec), target)


def _narrowed(halves: Integers, shift: int) -> Integers:
    half = 1 << (shift - 1) if shift else 0
    return np.array([(whole + half) >> shift for whole in _joined(halves)], np.int64)


def _heaviest(weight: Integers) -> NDArray[np.uint32]:
    """The heaviest class of each object; one must be heavier than those before by more than a tie."""
    label = np.zeros(len(weight), np.uint32)
    heaviest = np.zeros(len(weight), np.int64)
    for k in range(weight.shape[1]):
        better = (weight[:, k] - heaviest).astype(np.float64) > 1e-12 * heaviest.astype(np.float64)
        label[better] = k
        heaviest[better] = weight[better, k]
    return label


def _behind(sums: SumsOfObjects, weight: Integers, spec: TargetSpec) -> dict[tuple[str, int], Integers]:
    """What the rows behind each object sum up to, by statistic."""
    behind = {("rows_behind", -1): sums.rows, ("sample_weight_behind", -1): sums.sample}
    for k in range(spec.n_classes):
        behind["weight_behind", k] = np.ascontiguousarray(sums.weight[:, k])
    if not spec.n_classes:
        behind["weight_behind", -1] = weight
        for i, name in enumerate(("moment", "square")):
            for j, half in enumerate(("high", "low")):
                behind[f"{name}_behind_{half}", -1] = np.ascontiguousarray(sums.moments[:, i, j])
    return behind
