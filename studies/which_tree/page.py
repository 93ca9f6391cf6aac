"""`python -m studies.which_tree.page`: docs/which_tree.md and its picture, from the kept results alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from studies.harness.figures import digest
from studies.harness.markdown import table
from studies.harness.versions import ROOT
from studies.which_tree import markdown, picture
from studies.which_tree.claims import claims, of_sets
from studies.which_tree.kept import FILE, KeptStudy, read
from studies.which_tree.measures import N_BUDGETS
from studies.which_tree.plan import PARTS

PAGE = ROOT / "docs" / "which_tree.md"
PICTURE = ROOT / "docs" / "pictures" / "which_tree.png"

# What does not depend on figures: what each learner alone can do.
NEEDS = (
    (
        "a tree to begin with, or tests with prices",
        "`ThriftTreeClassifier`, `ThriftTreeRegressor`",
        "frontier",
    ),
    ("to see what less money or fewer questions would cost", "`frontier`", "frontier"),
    ("no row to pay more than so much, proved", "`WorstCaseTreeClassifier`, or a `budget`", "worst_case"),
    ("a proof that no smaller tree is as accurate", "`OptimalTreeClassifier`", "optimal"),
    ("nothing to tune, and a tree in a second", "`CARTClassifier(pruning='cost_complexity')`", "pruning"),
    ("several branches at a test, merged categories", "`CHAIDClassifier`", "chaid"),
    (
        "a border that is no stair",
        "`SoftTreeClassifier`, which this study leaves out: rows go both ways",
        "soft",
    ),
)


QUICK = (
    "> **A quick run.** These figures are of a few small sets and two splits, to show what the page looks "
    "like. They are too few to choose by. `make study` replaces them."
)
SCORES = (
    "± is half of a 95 % interval over splits. *Leaves* and *questions* (tests on a row's path, the mean "
    "over rows) are of all trees of a model; *seconds* of one core to fit, tuning included. Learners in "
    f"italics are no single trees: what one gives up for a tree. {markdown.PARTLY} did not finish every set, "
    "so its means are of fewer."
)
HALVES = (
    "Defaults of the library may be decided on half of the sets, named beforehand: those at even places in "
    "the alphabet of all. The others only show."
)
PRICES = (
    f"{N_BUDGETS} budgets for each set, from the price of the cheapest test to that of all, by a constant "
    "factor; no path of a tree may cost more. *Mean accuracy* is over budgets. *Hypervolume* is the area "
    "that the trees' mean prices and accuracies on test rows dominate, of 1: between the most frequent "
    "class for nothing and everything right for nothing. † has made prices, 1 to 10 drawn once; the others "
    "are real (Turney 1995)."
)


def page(study: KeptStudy) -> str:
    """The whole page."""
    return "\n".join([*_head(study), *_tables(study), *_method(study)]) + "\n"


def main() -> int:
    """Write both."""
    study = read()
    PAGE.write_text(page(study), encoding="utf-8")
    picture.draw(study, PICTURE, digest(FILE))
    print(f"Written: {PAGE}, {PICTURE}")
    return 0


def _head(study: KeptStudy) -> Iterator[str]:
    yield "# Which tree should I pick"
    yield ""
    yield "<!-- Made by `python -m studies.which_tree.page` from studies/results/which_tree.jsonl. -->"
    yield ""
    if study.about["quick"]:
        yield QUICK
        yield ""
    yield "| you need | take |"
    yield "|---|---|"
    for need, learner, guide in NEEDS:
        yield f"| {need} | {learner} ([guide](guide/{guide}.md)) |"
    yield ""
    n_splits, max_rows = study.about["splits"], study.about["max_rows"]
    rows_used = f"at most {max_rows:,} rows of it" if max_rows else "all its rows"
    yield f"Measured on {n_splits} splits of every set, with {rows_used} (`make study` takes 5 and 10,000)."
    yield "What the default tree has to show, and what it shows here:"
    yield ""
    rows = [
        [one.text, one.measured, {True: "yes", False: "**no**", None: "–"}[one.holds]]
        for one in claims(study)
    ]
    yield from table(["claim", "measured", "holds"], rows)
    yield ""
    yield "Differences are means over the sets that both finished; brackets are 95 % intervals over sets."


def _tables(study: KeptStudy) -> Iterator[str]:
    about = study.about
    yield ""
    yield f"## Classes: {of_sets(len(about['sets']['classes']))}"
    yield ""
    yield f"![Accuracy against leaves, and differences to the default tree](pictures/{PICTURE.name})"
    yield ""
    yield SCORES
    yield ""
    yield from markdown.classes(study)
    yield ""
    yield HALVES
    yield ""
    yield from markdown.halves(study)
    yield ""
    yield from markdown.per_set(study)
    yield ""
    yield f"## Numbers: {of_sets(len(about['sets']['numbers']))}"
    yield ""
    yield from markdown.numbers(study)
    yield ""
    yield f"## Tests with prices: {of_sets(len(about['sets']['prices']))}"
    yield ""
    yield PRICES
    yield ""
    yield from markdown.prices(study)
    yield ""


def _method(study: KeptStudy) -> Iterator[str]:
    about = study.about
    yield "## How it was measured"
    yield ""
    cap, share = about["max_rows"], about["test_share"]
    rows = "all rows of each set" if cap is None else f"at most {cap:,} rows of each set, drawn once"
    yield (
        f"{about['splits']} splits, {1 - share:.0%} of the rows to train and {share:.0%} to test, the same "
        f"for all; {rows}; one thread. Measured from {about['first']} to {about['last']}. "
        "[studies/README.md](../studies/README.md) says how to run it again and how to add to it."
    )
    yield ""
    yield "| learner | what it is | version |"
    yield "|---|---|---|"
    seen: set[tuple[str, str]] = set()
    for part in PARTS:
        for name, learner in about["learners"][part].items():
            summary = learner["summary"]
            if (name, summary) in seen:
                continue
            seen.add((name, summary))
            of = ", ".join(f"{package} {version}" for package, version in learner["versions"].items())
            yield f"| {name} | {summary} | {of} |"
    if about["missing"]:
        yield ""
        named = ", ".join(f"{name} ({package})" for name, package in about["missing"].items())
        yield f"Not installed where this was measured, and so left out: {named}."
    failed = list(markdown.failures(study))
    if failed:
        yield ""
        yield "Runs without a result, with their splits:"
        yield ""
        yield from failed


if __name__ == "__main__":
    sys.exit(main())
