"""From full and discount prices to own prices and set-up prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from thriftree.costs.checks import Feature, checked_features, checked_price
from thriftree.costs.model import Group
from thriftree.messages import did_you_mean

RELATIVE_TOLERANCE = 1e-9  # prices that went through arithmetic differ in their last digits


def own_prices_and_groups(
    full: Mapping[Feature, float],
    discount: Mapping[Feature, float],
    groups: Mapping[str, Iterable[Feature]],
) -> tuple[dict[Feature, float], dict[str, Group]]:
    """Own price: the discount price in a group, the full price elsewhere. Set-up: full - discount."""
    prices = {f: checked_price(p, f"the full price of {f!r}") for f, p in full.items()}
    reduced = {f: checked_price(p, f"the discount price of {f!r}") for f, p in discount.items()}
    for feature in reduced:
        if feature not in prices:
            raise ValueError(
                f"{feature!r} has a discount price but no full price{did_you_mean(feature, prices)}"
            )
    set_ups: dict[str, Group] = {}
    grouped: set[Feature] = set()
    for name, given in groups.items():
        members = checked_features(given, f"group {name!r}")
        for feature in members:
            if feature not in prices or feature not in reduced:
                hint = "" if feature in prices else did_you_mean(feature, prices)
                raise ValueError(
                    f"group {name!r} names {feature!r}, which lacks a full or a discount price{hint}; "
                    "give it both"
                )
        set_ups[name] = Group(_common_difference(name, members, prices, reduced), members)
        grouped.update(members)
    for feature, price in reduced.items():
        if feature not in grouped and price != prices[feature]:
            raise ValueError(
                f"{feature!r} costs {prices[feature]} in full and {price} at a discount but is in no group: "
                "name its group, or give it one price"
            )
    return {f: reduced[f] if f in grouped else p for f, p in prices.items()}, set_ups


def _common_difference(
    name: str, members: tuple[Feature, ...], full: Mapping[Feature, float], reduced: Mapping[Feature, float]
) -> float:
    # In decimals 7.27 - 5.17 is 2.10 and not 2.0999999999999996.
    differences = {f: float(Decimal(repr(full[f])) - Decimal(repr(reduced[f]))) for f in members}
    for feature, difference in differences.items():
        if difference < 0:
            raise ValueError(
                f"group {name!r}: {feature!r} costs more at a discount ({reduced[feature]}) than in full "
                f"({full[feature]}): exchange or correct them"
            )
    if not members:
        return 0.0
    first = members[0]
    for feature, difference in differences.items():
        if abs(difference - differences[first]) > RELATIVE_TOLERANCE * max(full[feature], full[first]):
            raise ValueError(
                f"group {name!r}: full minus discount is {differences[first]} for {first!r} but {difference} "
                f"for {feature!r}: it is the set-up price they share, so make the differences equal "
                "or split the group"
            )
    return differences[first]
