"""Random arguments for the fuzz of the bindings: what a signature asks for, bent out of shape now and then.

Arguments of one call share their numbers of rows, columns and classes, so that most calls get past the
first check.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

DTYPES = ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c16", "f2", "O", "U3", "M8[s]"]
EDGE_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e300, float("inf"), float("-inf"), float("nan")]
EDGE_INTS = [0, 1, -1, 2, 3, 7, 255, 256, 257, 2**31 - 1, -(2**31), 2**32, 2**63 - 1, -(2**63), 2**64]
WORDS = ["", "quantile", "uniform", "kmeans", "gini", "entropy", "number", "category", "x" * 1000, "\0", "é"]


class CallbackError(Exception):
    """Raised by a random callback, to see that errors pass through the core unharmed."""


@dataclass
class Draw:
    """The source of randomness of one run, the sizes of the current call, and the objects made so far."""

    rng: np.random.Generator
    pool: dict[str, list[Any]] = field(default_factory=dict)  # class name -> instances that calls returned
    rows: int = 0
    columns: int = 0
    classes: int = 2

    def new_call(self) -> None:
        """Choose the sizes that the arguments of the next call share."""
        self.rows = self.one_of([0, 1, 2, 3, 17, 64, 300])
        self.columns = self.one_of([0, 1, 2, 3, 16, 17, 40])
        self.classes = self.one_of([0, 1, 2, 3, 7])

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return bool(self.rng.random() < probability)

    def one_of(self, options: list[Any]) -> Any:
        """Return one of the options, as it is (numpy's own choice would convert it)."""
        return options[int(self.rng.integers(len(options)))]


def array(draw: Draw, dtype: str | None = None, ndim: int | None = None) -> Array:
    """Return an array of about that kind: any size, memory order, stride or byte order, maybe read-only."""
    if dtype is None or draw.chance(0.1):
        dtype = draw.one_of(DTYPES)
    if ndim is None or draw.chance(0.05):
        ndim = draw.one_of([0, 1, 2, 3])
    shared = (draw.rows, draw.columns, draw.classes)[:ndim]
    shape = shared if draw.chance(0.8) else tuple(draw.one_of([0, 1, 2, 5, 33]) for _ in range(ndim))
    return with_layout(draw, _values(draw, np.dtype(dtype), shape))


def _values(draw: Draw, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    if dtype.kind in "OUM":
        return np.asarray(draw.rng.integers(0, 5, shape), dtype="i8").astype(dtype)
    if draw.chance(0.6):  # likely codes, labels or counts
        return np.asarray(draw.rng.integers(0, draw.classes + 2, shape)).astype(dtype)
    if dtype.kind == "f" and draw.chance(0.7):
        normal = np.asarray(draw.rng.normal(size=shape)).astype(dtype)
        with np.errstate(over="ignore"):
            edge = np.asarray(draw.one_of(EDGE_FLOATS)).astype(dtype)
        return np.where(draw.rng.random(shape) < 0.05, edge, normal)
    n_bytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return np.frombuffer(draw.rng.bytes(n_bytes), dtype).reshape(shape).copy()


def with_layout(draw: Draw, data: Array) -> Array:
    """Return the same values in another memory layout or byte order, maybe read-only."""
    match draw.one_of(
        ["as is", "as is", "fortran", "strided", "reversed", "swapped", "unaligned", "broadcast"]
    ):
        case "fortran":
            data = np.asfortranarray(data)
        case "strided" if data.ndim:
            data = np.repeat(data, 2, axis=-1)[..., ::2]
        case "reversed" if data.ndim:
            data = data[::-1]
        case "swapped":
            data = data.astype(data.dtype.newbyteorder())
        case "unaligned" if data.ndim and data.dtype.kind != "O":
            raw = np.empty(data.nbytes + 1, dtype="u1")[1:]
            unaligned = raw.view(data.dtype).reshape(data.shape)
            unaligned[...] = data
            data = unaligned
        case "broadcast" if data.ndim and data.shape[0]:
            data = np.broadcast_to(data[:1], data.shape)
    if draw.chance(0.3):
        data = data.view()
        data.flags.writeable = False
    return data


def junk(draw: Draw) -> Any:
    """Return something that no binding asked for."""
    makers = [
        lambda: None,
        lambda: draw.one_of(EDGE_INTS),
        lambda: draw.one_of(EDGE_FLOATS),
        lambda: draw.one_of(WORDS),
        lambda: b"bytes",
        lambda: {},
        lambda: [[], [None], ["a", 1]],
        lambda: (),
        object,
        lambda: int,
        lambda: array(draw),
        lambda: memoryview(bytes(8)),
        lambda: np.float32(1.5),
        lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
        lambda: draw.one_of([made for objects in draw.pool.values() for made in objects] or [None]),
    ]
    return draw.one_of(makers)()


def callback(draw: Draw) -> Any:
    """Return a function that ignores its arguments and gives junk back, or raises."""
    if draw.chance(0.2):

        def fail(*_: Any, **__: Any) -> Any:
            raise CallbackError("from a callback")

        return fail
    given = array(draw, "f8") if draw.chance(0.7) else junk(draw)
    return lambda *_, **__: given


def for_type(draw: Draw, annotation: str) -> Any:
    """Return an argument for a type as nanobind spells it in a signature; one in ten is junk."""
    if draw.chance(0.1):
        return junk(draw)
    options = _split(annotation, "|")
    wanted = draw.one_of(options)
    if "ndarray" in wanted or "NDArray" in wanted:
        return _for_array(draw, wanted)
    if re.match(r"(\w+\.)*(Sequence|list|tuple)\b", wanted):
        inner = wanted.partition("[")[2].removesuffix("]") or "object"
        length = draw.columns if draw.chance(0.8) else draw.one_of([0, 1, 5])
        return [for_type(draw, _split(inner, ",")[0]) for _ in range(length)]
    if "Callable" in wanted:
        return callback(draw)
    made = draw.pool.get(wanted.rpartition(".")[2])
    if made:
        return draw.one_of(made)
    match wanted:
        case "None":
            return None
        case "bool":
            return draw.chance(0.5)
        case "int":
            return draw.one_of([draw.rows, draw.columns, draw.classes, 1, 2, 4, *EDGE_INTS])
        case "float":
            return draw.one_of([1e-3, 0.25, 2, *EDGE_FLOATS])
        case "str":
            return draw.one_of(WORDS)
    return junk(draw)


def _for_array(draw: Draw, wanted: str) -> Array:
    named = re.search(r"\b(float|int|uint)(8|16|32|64)\b|\bbool\b", wanted)
    shape = re.search(r"shape=\(([^)]*)\)", wanted)
    ndim = len([size for size in shape[1].split(",") if size.strip()]) if shape else None
    return array(draw, np.dtype(named[0]).str if named else None, ndim)


def _split(text: str, separator: str) -> list[str]:
    """Split at separators that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
        if character == separator and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a bound function, from its signature."""

    name: str
    annotation: str
    has_default: bool
    by_position: bool  # its name may not be used in a call


def parameters(signature: str) -> list[Parameter]:
    """Read the parameters of a signature such as ``def f(x: int, *, y: float = \\0) -> int``."""
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    found: list[Parameter] = []
    for part in filter(None, _split(inside, ",")):
        if part == "/":
            found = [Parameter(p.name, p.annotation, p.has_default, by_position=True) for p in found]
        elif part != "self" and not part.startswith("*"):
            declared, _, default = part.partition(" = ")
            name, _, annotation = declared.partition(": ")
            found.append(Parameter(name, annotation or "object", bool(default), by_position=False))
    return found
