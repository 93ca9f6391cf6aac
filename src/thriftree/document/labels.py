"""Labels of classes as arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Scalar

_LONGEST_FIXED: Final = 1000  # characters of labels in arrays of a fixed width


def labels_at(classes: NDArray[Any], numbers: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """The labels of classes by number. An array of texts gives each row the room of the longest text: where
    that is more than 1,000 characters the labels are objects, which share their texts.
    """
    long = classes.dtype.kind == "U" and classes.dtype.itemsize > 4 * _LONGEST_FIXED
    labels = classes.astype(object) if long else classes
    return np.asarray(labels[numbers])


def array_of_labels(classes: tuple[Scalar, ...]) -> NDArray[Any]:
    """The labels as an array of their natural type, or of objects where numpy would change one."""
    short = all(len(label) <= _LONGEST_FIXED for label in classes if isinstance(label, str))
    if short and len({type(label) for label in classes}) == 1:
        natural = np.array(classes)
        back = natural.tolist()
        if back == list(classes) and type(back[0]) is type(classes[0]):
            return natural
    objects = np.empty(len(classes), dtype=object)
    objects[:] = classes
    return objects
