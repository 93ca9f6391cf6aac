"""The guide's price file can be read as printed."""

import re
from pathlib import Path

from thriftree.costs import Group, Steps, TestCosts

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "prices.md"


def test_the_price_file_in_the_guide_is_valid(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    assert TestCosts.from_toml(path) == TestCosts(
        {
            "cholesterol": 5.17,
            "sugar": 3.10,
            "ST depression": 1.00,
            "biopsy": {"benign": 120, "malignant": 300},
            "dose": Steps((10, 20), (5, 9, 15)),
        },
        groups={"blood": Group(2.10, ("cholesterol", "sugar"))},
        known=["age"],
        delayed=["cholesterol", "sugar"],
    )


def test_the_python_examples_in_the_guide_run():
    first, second, *_ = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = {}
    exec(first + second, names)
    assert names["costs"].groups["blood"].setup == 2.10
