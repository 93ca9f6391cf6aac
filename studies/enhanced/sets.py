"""The 20 tables of paper 000, as its Table 1 has them.

The paper says that numbers become five bins and that categories are one column each, not which columns are
categories. What stands here is what gives the numbers of binary columns of its Table 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Reading = Literal["numbers", "categories"]


@dataclass(frozen=True)
class PaperTable:
    """A table: its file, what the paper says of it, and which columns are read against their type."""

    file: str
    published: str  # its name in the authors' figures
    rows: int  # n of Table 1
    tests: int  # m of Table 1: binary columns
    classes: int
    read_as: dict[str, Reading] = field(default_factory=dict)  # by column; "*" is every column
    left_out: tuple[str, ...] = ()
    differs: str = ""  # how our file is not the paper's


_ALL = (
    PaperTable("iris", "iris", 150, 20, 3),
    PaperTable("ilpd", "ilpd", 583, 46, 2),
    PaperTable("breast-w", "breast-w", 699, 45, 2),
    PaperTable("tic-tac-toe", "tic-tac-toe", 958, 27, 2),
    PaperTable("obesity", "obesity", 2111, 58, 7),
    PaperTable("phoneme", "phoneme", 5404, 25, 2),
    PaperTable("spambase", "spambase", 4601, 285, 2),
    PaperTable("phishing-websites", "phishing", 11_055, 46, 2, {"*": "categories"}),
    PaperTable("letter", "letter", 20_000, 80, 26),
    PaperTable("firewall", "firewall", 65_532, 55, 4),
    PaperTable("electricity", "electricity", 45_312, 42, 2, {"day": "categories"}),
    PaperTable("bank-marketing", "bank", 45_211, 76, 2),
    PaperTable(
        "default-credit",
        "default",
        30_000,
        112,
        2,
        {"SEX": "categories", "EDUCATION": "categories", "MARRIAGE": "categories"},
    ),
    PaperTable("covertype-sample", "covertype", 581_012, 94, 7, differs="92,962 of the paper's 581,012 rows"),
    PaperTable(
        "shoppers",
        "shoppers",
        12_330,
        454,
        2,
        {"Administrative": "categories", "Informational": "categories", "ProductRelated": "categories"},
    ),
    PaperTable(
        "diabetic",
        "diabetic",
        101_766,
        264,
        3,
        {
            "admission_type_id": "numbers",
            "discharge_disposition_id": "numbers",
            "admission_source_id": "numbers",
            "diag_1": "numbers",
            "diag_2": "numbers",
            "diag_3": "numbers",
        },
        ("encounter_id", "patient_nbr"),
    ),
    PaperTable("dota2", "dota2", 92_649, 394, 2, {"*": "categories"}, differs="one row more"),
    PaperTable(
        "speed-dating", "speed", 8378, 733, 2, differs="without the binned copies of its columns (d_*)"
    ),
    PaperTable("musk", "musk", 6598, 830, 2),
    PaperTable("bioresponse", "bioresponse", 3751, 5333, 2),
)

TABLES = {table.file: table for table in _ALL}  # those that take little time first
QUICK = ("iris", "ilpd", "breast-w", "tic-tac-toe")
