"""How wide text is, against the font itself; text cut and broken to a width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thriftree.plot.text_metrics import ELLIPSIS, fit, text_width, wrap

font_manager = pytest.importorskip("matplotlib.font_manager")
tt_font = pytest.importorskip("fontTools.ttLib")  # matplotlib brings it

texts = st.text(st.characters(max_codepoint=0x2FFF, exclude_categories=["Cc", "Cs"]), max_size=80)


@pytest.mark.parametrize("bold", [False, True])
def test_the_widths_are_those_of_dejavu_sans(bold):
    weight = "bold" if bold else "normal"
    path = font_manager.findfont(font_manager.FontProperties(family=["DejaVu Sans"], weight=weight))
    with tt_font.TTFont(path) as font:
        glyphs, advances, units = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
        for c in [*map(chr, range(32, 127)), "…", "·", "→", "é", "Ü", "ñ", "\u200e"]:
            exact = advances[glyphs[ord(c)]][0] / units * 1000
            assert text_width(c, 1000, bold=bold) == pytest.approx(exact, abs=70 if c == "·" else 1), c


@given(texts, st.floats(30, 400))
def test_text_that_is_cut_fits_and_says_that_it_was_cut(text, width):
    shown = fit(text, width, 12.0)
    assert text_width(shown, 12.0) <= width
    assert shown == text or (shown.endswith(ELLIPSIS) and text.startswith(shown[:-1]))


@given(texts, st.floats(30, 400), st.integers(1, 3))
def test_broken_lines_fit_and_hold_every_word_unless_the_middle_is_left_out(text, width, lines):
    shown = wrap(text, width, 12.0, lines=lines, bold=True)
    assert 1 <= len(shown) <= lines
    assert all(text_width(line, 12.0, bold=True) <= width for line in shown)
    if not any(ELLIPSIS in line for line in shown):
        assert "".join("".join(shown).split()) == "".join(text.split())


def test_text_that_fits_is_left_alone():
    assert wrap("age <= 54.5?", 200, 12, lines=2) == ["age <= 54.5?"]
    assert fit("age", 200, 12) == "age"


def test_lines_break_at_spaces_and_after_underscores():
    assert wrap("resting_blood_pressure <= 54.5?", 125, 12, lines=3) == [
        "resting_blood_",
        "pressure <= 54.5?",
    ]


def test_a_cut_stays_with_its_sign():
    assert wrap("resting_blood_pressure <= 54.5?", 110, 12, lines=3) == [
        "resting_blood_",
        "pressure",
        "<= 54.5?",
    ]


def test_a_question_that_is_too_long_keeps_its_cut():
    (shown,) = wrap("a_very_long_name_of_a_column_indeed <= 54.5?", 150, 12, lines=1)
    assert shown.startswith("a_very")
    assert shown.endswith("54.5?")
    assert ELLIPSIS in shown
