"""A recipe: one call of the public interface, by a name, and what it makes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from corpus.product import Product, product_of

Parameters = dict[str, Any]


@dataclass(frozen=True)
class CorpusFit:
    """A fit of the corpus, or a search of many.

    Attributes
    ----------
    name : its id, such as "cart/mixed/entropy".
    make : does it, and returns a fitted estimator or a `Product`.
    quick : whether it may stand in the small corpus.
    rounded : the scores of its tests come from numpy's or scipy's special functions, whose last digits differ
        between processors: they are compared to 9 digits, all else of the tree to the last bit.
    compressor : the compressor that decides its trees ("bz2", "zlib", "lzma"), whose output may change from
        one release of its library to the next; None: none does.
    same_as : the name of a recipe that must give the very same.
    """

    name: str
    make: Callable[[], Any]
    quick: bool = True
    rounded: bool = False
    compressor: str | None = None
    same_as: str | None = None

    def product(self) -> Product:
        """What it makes now. Warnings are no concern of a corpus of trees."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = self.make()
            return made if isinstance(made, Product) else product_of(made)

    def entry(self) -> dict[str, Any]:
        """What it makes now, as the reference file holds it."""
        return self.product().entry(self.rounded)
