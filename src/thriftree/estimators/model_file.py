"""`save` and `load` of an estimator: a JSON file (docs/spec/model-v1.md)."""

from __future__ import annotations

import os
from typing import Any, Self

from thriftree.whole_files import write_whole


class ModelFile:
    """What can be kept in a file that is read without running code."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted estimator to a JSON file, whole or not at all; `load` reads it back.

        Parameters and fitted attributes are kept. A parameter that is a function, a splitter or a random
        number generator cannot be, and raises TypeError.
        """
        from thriftree.model_files.write import model_text

        write_whole(path, model_text(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The estimator of this class in a file that `save` wrote. Loading never runs code."""
        from thriftree.model_files import load

        model = load(path)
        if not isinstance(model, cls):
            found = type(model).__name__
            raise ValueError(
                f"{os.fspath(path)} holds a {found}, not a {cls.__name__}: use {found}.load, or "
                "thriftree.load, which reads either"
            )
        return model

    def __getstate__(self) -> dict[str, Any]:
        """What pickle, joblib, cloudpickle, deep copies and skops keep, with the version of its form."""
        from thriftree.model_files.pickles import state_of

        return state_of(self, super().__getstate__())  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes states of this and of older releases. Raises ValueError for one of a newer form."""
        from thriftree.model_files.pickles import attributes_in

        super().__setstate__(attributes_in(state, type(self).__name__))  # type: ignore[misc]

    def __copy__(self) -> Self:
        """Shares the tree, which never changes."""
        made = type(self).__new__(type(self))
        vars(made).update(vars(self))
        return made
