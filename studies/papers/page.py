"""The page docs/results.md, from findings and kept results alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studies.enhanced import tables
from studies.enhanced.learners import PRICES
from studies.enhanced.scores import EnhancedScores
from studies.enhanced.sets import TABLES
from studies.harness.versions import ROOT
from studies.papers.finding import FILE, PaperFinding, ResultFile

PAGE = ROOT / "docs" / "results.md"
PICTURES = ROOT / "docs" / "pictures"
PRICE_WORDS = {"unit": "unit prices", "random": "prices from 1 to 10, drawn anew for each split"}
SAID = {
    "002": "*Accurate* is at most two points below the best other learner, *far fewer* at most half of the "
    "nodes of tuned CART. `--repeats` says how many divisions; the guide has ten, measured before."
}
TITLES = {
    "000": "accurate trees with a bound on their cost (Zhang and Gionis 2022)",
    "001": "the most expensive path (Nan, Wang and Saligrama)",
    "002": "trees that tune themselves (García Leiva et al. 2019)",
}
ABOUT = (
    "What the papers claim that this library stands on, beside what it measures. Brackets are 95 % "
    "intervals: over sets (bootstrap) for means over sets, else over splits. Every row is a line of "
    f"[{FILE.name}](../studies/results/{FILE.name}), which names the lines of the result file that the"
    " figure was computed from and the command that measured them. Where a paper errs in its formulas"
    " or its program, [The papers](papers.md) says what we found and what we chose."
)
HOW = (
    "Numbers become five k-means bins, every bin and category a binary column, equal rows one object "
    "with their most frequent class; 70 % of the rows to train, 10 % to tune λ and alpha by AUC, 20 %"
    " to test, {splits} splits, {rows}; θ = 0.005, or two rows of a small table. Expected costs are "
    "of training rows and unpruned trees, as published."
)
DIFFERENCES = (
    (
        "IP",
        "Their program maximises p(S)φ(S) − Σ p(S_v)φ(S_v), here *IP weighted*; *IP* is the paper's formula.",
    ),
    (
        "EC4.5, ECART",
        "Their program weights a branch by p(S_v) where the paper has p(S_v)/p(S): below the root a λ means "
        "something else there, so the same grid of λ gives other trees, and the rule another λ.",
    ),
    (
        "BAL",
        "Their program takes a test that splits nothing for balanced, and asks it: hence its costs.",
    ),
    (
        "shoppers",
        "Its 454 binary columns are explained: three columns of counts (`Administrative`, `Informational`, "
        "`ProductRelated`; 27 + 17 + 311 values) were read as categories. So they are here.",
    ),
    (
        "diabetic",
        "264 columns are reached if ids of admission and the three diagnoses are numbers, and a missing "
        "value is a category.",
    ),
    (
        "breast-w",
        "CART's 4.51, far above C4.5's 3.66, is no slip: five bins make it so here, too.",
    ),
    ("speed-dating", "The OpenML table has binned copies of its columns (d_*), which ours has not."),
    ("covertype", "Ours is a sample of 92,962 of 581,012 rows."),
    (
        "default-credit",
        "Its CART and C4.5 are small because a third of the rows is used: with all 30,000 rows "
        "(`--sets default-credit --max-rows 0`, one split) CART costs 19.43 (0.97), C4.5 16.57 (0.92), ECART "
        "10.30 (1.09) and EC4.5 9.19 (0.92).",
    ),
    ("rows", "Of tables beyond the limit fewer rows are used: fewer objects, so costs are a little lower."),
)


def page(file_000: ResultFile, findings: Sequence[PaperFinding]) -> str:
    """The whole page."""
    lines = [
        "# The papers, measured again",
        "",
        "<!-- Made by `python -m studies.papers` from studies/results. -->",
    ]
    lines += ["", ABOUT]
    for paper, title in TITLES.items():
        lines += ["", f"## {paper}: {title}", "", *_claims(findings, paper)]
        if paper == "000":
            lines += ["", *_study_000(EnhancedScores(file_000.study))]
        if paper == "001":
            lines += ["", "![Error against max-cost on the nine data sets](pictures/worst_case.png)", ""]
            lines += ["More in [Worst case](guide/worst_case.md)."]
        if paper == "002":
            lines += [
                "",
                "![Accuracy against nodes on the twelve data sets](pictures/self_tuning_trade_off.png)",
                "",
            ]
            lines += ["More in [Trees that tune themselves, compared](guide/self_tuning.md)."]
    return "\n".join(lines) + "\n"


def _claims(findings: Sequence[PaperFinding], paper: str) -> Iterator[str]:
    rows = [
        [one.claim, one.published, one.measured, _holds(one.holds), one.why, _source(number)]
        for number, one in enumerate(findings, start=1)
        if one.paper == paper
    ]
    yield "| claim | published | measured here | holds | why | line |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
    used = sorted({(one.file, one.command) for one in findings if one.paper == paper})
    for name, command in used:
        yield f"From [{name}](../studies/results/{name}), made by `{command}`. {SAID.get(paper, '')}".rstrip()


def _holds(word: str) -> str:
    return f"**{word}**" if word == "no" else word


def _source(number: int) -> str:
    return f"[{number}](../studies/results/{FILE.name}#L{number})"


def _study_000(scores: EnhancedScores) -> Iterator[str]:
    about = scores.study.about
    cap = about["max_rows"]
    rows = "all rows" if cap is None else f"at most {cap:,} rows of a set"
    yield HOW.format(splits=about["splits"], rows=rows)
    yield ""
    yield from _reached(scores)
    yield "### Expected cost beside the published one, unit prices"
    yield ""
    yield (
        "In brackets: over the published figure. *Tests* are binary columns, in brackets those of the "
        "paper's Table 1 where they differ. With unit prices CCART is CART and CC4.5 is C4.5."
    )
    yield ""
    yield from tables.reproduction(scores)
    yield ""
    yield "Where and why we differ:"
    yield ""
    for name, words in DIFFERENCES:
        yield f"- *{name}*: {words}"
    yield ""
    yield "### AUC, cost, leaves and time"
    for prices in PRICES:
        words = PRICE_WORDS[prices]
        yield ""
        yield (
            f"Means over {len(scores.sets)} sets, {words}; of costs and leaves geometric. Seconds are of "
            "one fit with what was tuned given (ours: of all)."
        )
        yield ""
        yield from tables.summary(scores, prices)
        yield ""
        yield f"![AUC against expected cost, {words}](pictures/enhanced_{prices}.png)"
    yield ""
    yield "Ranks; bars join what does not differ significantly (Nemenyi):"
    yield ""
    yield "![Critical differences of AUC and expected cost](pictures/enhanced_ranks.png)"
    yield ""
    yield "### λ"
    yield ""
    yield "![AUC and cost by λ, here and published](pictures/enhanced_trade_off.png)"
    yield ""
    yield "### What a correct cost-benefit baseline leaves of the saving"
    yield ""
    yield "Expected cost with random prices:"
    yield ""
    yield from tables.random_prices(scores)
    yield ""
    yield "### Leaves that know the classes of their rows"
    yield ""
    yield "Points of test AUC gained when leaves answer by their rows, not by labels of objects; unit prices:"
    yield ""
    yield from tables.raw_leaves(scores)
    if scores.speed():
        yield ""
        yield "### Time against rows"
        yield ""
        yield "![Seconds to fit against rows](pictures/enhanced_time.png)"


def _reached(scores: EnhancedScores) -> Iterator[str]:
    about = scores.study.about
    missing = [name for name in TABLES if name not in scores.sets]
    if about["quick"]:
        yield "> **A quick run**: a few small sets and two splits, too few to judge by; see `make study`."
        yield ""
    elif missing or len(scores.study.runs) < about["planned"]:
        without = f" Missing: {', '.join(missing)}." if missing else ""
        yield (
            f"> **Not finished.** {len(scores.study.runs):,} of {about['planned']:,} runs; "
            f"{len(scores.sets)} of {len(TABLES)} sets have a whole split, and whole splits count: their "
            f"number is in the table.{without} `make study` goes on."
        )
        yield ""
