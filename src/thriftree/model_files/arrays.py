"""numpy arrays as JSON: type, shape and values, so that they come back exactly."""

from __future__ import annotations

import math
import re
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.document.checks import (
    INT32_MAX,
    Where,
    a_number,
    a_scalar,
    a_string,
    an_array,
    an_integer,
    an_object,
    fail,
    shown,
)
from thriftree.model_files.refusal import refuse

_PLAIN: Final = re.compile(r"\|b1|\|[iu]1|[<>][iu][248]|[<>]f[248]|[<>]U[0-9]{1,6}|\|O")
_TEXT: Final = "text"  # numpy's strings of any length, which have no code of their own
_MAX_DIMENSIONS: Final = 8
_MAX_TEXT_BYTES: Final = 2**26
_MAX_UNUSED: Final = 1000  # characters of a fixed length: else a short file could ask for much memory
NOT_FINITE: Final = {str(x): x for x in (math.inf, -math.inf, math.nan)}


def describe_array(array: NDArray[Any], place: str) -> dict[str, Any]:
    """What `array_of` takes. Raises TypeError, naming `place`, for elements that a file does not hold."""
    dtype = array.dtype
    if dtype.kind == "T":
        if dtype != np.dtypes.StringDType():
            refuse(array, place)
        code = _TEXT
    else:
        code = dtype.str
        if not _PLAIN.fullmatch(code) or _bytes_of_text(dtype, array.size) > _MAX_TEXT_BYTES:
            refuse(array, place)
    values = array.ravel().tolist()
    if (unused := _unused(dtype, values)) > _MAX_UNUSED:
        raise TypeError(
            f"{place} is an array of type {code}, whose strings have {unused} characters more than they "
            "need: give it with a shorter type"
        )
    if dtype.kind == "O":
        values = [_label(item, f"{place}[{i}]") for i, item in enumerate(values)]
    elif dtype.kind == "f":
        values = [x if math.isfinite(x) else str(x) for x in values]
    return {"dtype": code, "shape": list(array.shape), "values": values}


def array_of(value: Any, where: Where) -> NDArray[Any]:
    """The array that `describe_array` described. Raises TreeFormatError for anything else."""
    described = an_object(value, where, ("dtype", "shape", "values"))
    code = a_string(described["dtype"], (*where, "dtype"))
    if code != _TEXT and not _PLAIN.fullmatch(code):
        fail((*where, "dtype"), f"{shown(code)} is not a type of array that files hold")
    shape = [
        an_integer(size, (*where, "shape", i), INT32_MAX)
        for i, size in enumerate(an_array(described["shape"], (*where, "shape"), _MAX_DIMENSIONS))
    ]
    values = an_array(described["values"], (*where, "values"), INT32_MAX)
    if math.prod(shape) != len(values):
        fail((*where, "shape"), f"asks for {math.prod(shape)} values, but there are {len(values)}")
    dtype: np.dtype[Any] = _text_type((*where, "dtype")) if code == _TEXT else np.dtype(code)
    if _bytes_of_text(dtype, len(values)) > _MAX_TEXT_BYTES:
        fail((*where, "dtype"), f"the strings would take more than {_MAX_TEXT_BYTES} bytes")
    elements = [_element(item, dtype, (*where, "values", i)) for i, item in enumerate(values)]
    if _unused(dtype, elements) > _MAX_UNUSED:
        fail(
            (*where, "dtype"),
            f"{code} has {_unused(dtype, elements)} characters more than any of the strings",
        )
    array = np.empty(len(elements), dtype)
    try:
        array[:] = elements
    except UnicodeEncodeError as error:  # numpy's strings of any length hold no half of a surrogate pair
        fail((*where, "values"), str(error))
    try:
        return array.reshape(shape)
    except ValueError as error:  # no values, but other sizes that are huge
        fail((*where, "shape"), str(error))


def _text_type(where: Where) -> Any:
    if not hasattr(np.dtypes, "StringDType"):
        fail(where, f"strings of any length need numpy 2, this is {np.__version__}")
    return np.dtypes.StringDType()


def _element(value: Any, dtype: np.dtype[Any], where: Where) -> Any:
    match dtype.kind:
        case "b":
            if type(value) is not bool:
                fail(where, f"must be true or false, not {shown(value)}")
            return value
        case "i" | "u":
            limits = np.iinfo(dtype)
            if type(value) is not int or not limits.min <= value <= limits.max:
                fail(where, f"must be an integer from {limits.min} to {limits.max}, not {shown(value)}")
            return value
        case "f":
            if type(value) is str and value in NOT_FINITE:
                return NOT_FINITE[value]
            number = a_number(value, where)
            if abs(number) > float(np.finfo(dtype).max):
                fail(where, f"{shown(value)} is beyond the range of {dtype.name}")
            return number
        case "O":
            return None if value is None else a_scalar(value, where)
    text = a_string(value, where)
    if dtype.kind == "U" and len(text) > dtype.itemsize // 4:
        fail(where, f"has {len(text)} characters, but the type says {dtype.itemsize // 4}")
    return text


def _label(item: Any, place: str) -> Any:
    if isinstance(item, np.generic):
        item = item.item()
    if item is None or isinstance(item, (bool, str, int)):
        return item
    if isinstance(item, float) and math.isfinite(item):
        return {"float": item}
    refuse(item, place)


def _unused(dtype: np.dtype[Any], texts: list[Any]) -> int:
    """How many characters strings of a fixed length have that none of these needs."""
    return dtype.itemsize // 4 - max(map(len, texts)) if dtype.kind == "U" and texts else 0


def _bytes_of_text(dtype: np.dtype[Any], n: int) -> int:
    return dtype.itemsize * n if dtype.kind == "U" else 0
