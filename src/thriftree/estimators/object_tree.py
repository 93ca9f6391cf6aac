"""Base of the learners of paper 000, which count objects: rows that no test can tell apart are one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from thriftree.estimators.base import BaseTree
from thriftree.estimators.parameters import PRUNING_PARAMETERS, TREE_PARAMETERS, Constraints
from thriftree.estimators.pruning_parameters import pruning_asked_of
from thriftree.learning import growth
from thriftree.learning.growth import Plan
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample

OBJECT_TREE_PARAMETERS: Constraints = {**PRUNING_PARAMETERS, **TREE_PARAMETERS, "multiway": ["boolean"]}


class ObjectTree(BaseTree):
    """A tree grown on objects, with CART's tests (or a branch for every category) and CART's pruning."""

    _category_tests = growth.SUBSET

    @abstractmethod
    def _score(self, rows: Sample) -> dict[str, Any]:
        """What makes a test good, in the core's parameters."""

    def _plan(self, rows: Sample) -> Plan:
        plan = replace(super()._plan(rows), scoring={"objects": True, **self._score(rows)})
        return replace(plan, category_tests=growth.MULTIWAY) if self.multiway else plan

    def _pruning(self) -> Pruning:
        return pruning_asked_of(self, self.pruning)
