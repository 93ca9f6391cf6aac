"""A corpus of fits with every parameter of the public interface: what a change of the code must leave alone.

Only the public interface is used, so that the corpus runs unchanged on old code and new. No fit has a time
limit that it could reach, and what is random is given its seed.
"""

from __future__ import annotations

from functools import cache

from corpus import edits, learners, many_trees, odd_tables, parameters, priced, pruned, searched, special
from corpus.recipe import CorpusFit

_FAMILIES = (learners, priced, parameters, pruned, searched, special, odd_tables, edits, many_trees)
_ONE_OF = 10  # of so many quick recipes one is in the small corpus
_ALWAYS = (  # slower ones that are in it too, for what no quick one shows
    *("QUESTClassifier/numbers", "ThriftTreeClassifier/people", "ThriftTreeRegressor/people"),
    *("OptimalTreeClassifier/ties", "OptimalTreeClassifier/people with gaps", "OptimalTreeRegressor/people"),
    *("large/CART in bins, two threads", "frontier/no prices", "curve/ties", "heart/EnhancedTreeClassifier"),
)


@cache
def all_recipes() -> dict[str, CorpusFit]:
    """The whole corpus by name, in a fixed order."""
    found: dict[str, CorpusFit] = {}
    for family in _FAMILIES:
        for recipe in family.recipes():
            if recipe.name in found:
                raise ValueError(f"two recipes are called {recipe.name!r}: name one anew")
            found[recipe.name] = recipe
    return found


def small_recipes() -> dict[str, CorpusFit]:
    """About ninety recipes that take little time together."""
    quick = [name for name, recipe in all_recipes().items() if recipe.quick]
    chosen = {*quick[::_ONE_OF], *_ALWAYS}
    return {name: recipe for name, recipe in all_recipes().items() if name in chosen}
