"""The engine of Spark: partitions of a DataFrame, coded once beside the Python workers and counted there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import Any, Final
from uuid import uuid4

from thriftree.distributed import spark_tasks as tasks
from thriftree.distributed.columns_of_parts import Roles
from thriftree.distributed.questions import RowQuestion
from thriftree.distributed.spark_jobs import run_job

_ANSWERS: Final = "part int, n_rows long, answer binary"
_FEW: Final = 8  # sums that the driver adds by itself
_TARGET, _WEIGHT = "thriftree target", "thriftree weight"


def parts_of(X: Any, y: Any, sample_weight: Any, n_threads: int) -> SparkParts:
    """The partitions of a DataFrame, of which y and sample_weight are columns or their names."""
    _check_frame(X)
    X, y = _with_column(X, y, _TARGET)
    X, sample_weight = _with_column(X, sample_weight, _WEIGHT)
    roles = Roles.of(X.columns, y, sample_weight, "the Spark DataFrame")
    weight = [] if roles.weight is None else [roles.weight]
    return SparkParts(X.select(*map(_quoted, [*roles.features, roles.target, *weight])), roles)


class SparkParts:
    """The partitions of a DataFrame, in the order of their numbers."""

    def __init__(self, frame: Any, roles: Roles) -> None:
        self._frame = frame
        self._roles = roles
        self._schema = _arrow_schema(frame)
        self._n_rows: list[int] | None = None
        self._kept: list[KeptParts] = []  # what was made of these

    @property
    def n_parts(self) -> int:
        """How many there are."""
        return len(self._rows())

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """function(content, *arguments) of every part, in order of parts."""
        found = self._job(partial(tasks.ask_rows, function, arguments)).collect
        rows = sorted(run_job(self._frame.sparkSession, found), key=lambda row: row.part)
        self._check([row.n_rows for row in rows])
        return [tasks.unpacked(row.answer) for row in rows]

    def reduce(self, function: Callable[..., Any], add: Callable[[Any, Any], Any], *arguments: Any) -> Any:
        """The answers of all parts, brought together here: those about rows are few and small."""
        answers = self.map(function, *arguments)
        total = answers[0]
        for answer in answers[1:]:
            total = add(total, answer)
        return total

    def keep(self, function: Callable[..., Any], *arguments: Any) -> KeptParts:
        """Parts of what the function makes of each, in files beside the Python workers."""
        key = f"thriftree-{uuid4().hex}"
        coded = self._job(partial(tasks.keep_content, key, function, arguments)).rdd
        coded = coded.persist(_memory_and_disk())
        rows = sorted(run_job(self._frame.sparkSession, coded.collect), key=lambda row: row.part)
        self._check([row.n_rows for row in rows])
        again = partial(self._again, key, function, arguments)
        self._kept.append(KeptParts(self._frame.sparkSession, coded, key, self._rows(), again))
        return self._kept[-1]

    def order(self) -> list[int]:
        """How many rows lie before each part."""
        return list(accumulate(self._rows(), initial=0))[:-1]

    def close(self) -> None:
        """Removes what was made of these parts."""
        for kept in self._kept:
            kept.close()
        self._kept = []

    def _job(self, ask: Callable[..., Any]) -> Any:
        """A frame of an answer for each partition; Spark has not begun with it."""
        work = partial(tasks.answer_partition, self._schema, self._roles, ask)
        return self._frame.mapInArrow(work, _ANSWERS)

    def _again(
        self, key: str, function: Callable[..., Any], arguments: tuple[Any, ...], ask: Callable[..., Any]
    ) -> Any:
        """An RDD whose partitions make and keep the content from the rows, and ask about it."""
        work = partial(tasks.keep_and_ask, key, function, arguments, ask)
        return self._job(work).rdd

    def _rows(self) -> list[int]:
        if self._n_rows is None:
            self.map(_nothing)
        assert self._n_rows is not None
        return self._n_rows

    def _check(self, n_rows: list[int]) -> None:
        """Refuses a frame that Spark divides in another way each time: parts would not be what they were."""
        if self._n_rows is None:
            self._n_rows = n_rows
        for number, (before, now) in enumerate(zip(self._n_rows, n_rows, strict=False)):
            if before != now:
                raise ValueError(
                    f"part {number} (from 0) of the Spark DataFrame had {before} rows and has {now} now: "
                    "keep it as it is with X.persist() or X.localCheckpoint() first"
                )
        if len(n_rows) != len(self._n_rows):
            raise ValueError(
                f"the Spark DataFrame had {len(self._n_rows)} partitions and has {len(n_rows)} now: keep it "
                "as it is with X.persist() or X.localCheckpoint() first"
            )


class KeptParts:
    """Contents in files on the machines of the executors. Where one is missing it is made again from the
    rows: by Spark, if its executor is lost, else when it is asked for.
    """

    def __init__(
        self,
        session: Any,
        coded: Any,
        key: str,
        n_rows: list[int],
        again: Callable[[Callable[..., Any]], Any],
    ) -> None:
        self._session = session
        self._coded = coded  # an RDD of the parts' numbers, whose lineage keeps the contents; cached
        self._key = key
        self._n_rows = n_rows
        self._again = again
        self._kept: list[KeptParts] = []  # what was made of these
        self._is_closed = False

    @property
    def n_parts(self) -> int:
        """How many there are."""
        return len(self._n_rows)

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """function(content, *arguments) of every part, in order of parts."""
        ask = partial(tasks.with_number, function, arguments)
        answers = dict(self._summed(ask, tasks.joined))
        return [answers[number] for number in range(self.n_parts)]

    def reduce(self, function: Callable[..., Any], add: Callable[[Any, Any], Any], *arguments: Any) -> Any:
        """The answers of all parts, added by every task first and then in a tree."""
        return self._summed(partial(tasks.without_number, function, arguments), add)

    def keep(self, function: Callable[..., Any], *arguments: Any) -> KeptParts:
        """Parts of what the function makes of each content."""
        key = f"thriftree-{uuid4().hex}"
        make = partial(tasks.keep_of_kept, self._key, key, function, arguments)
        coded = self._coded.mapPartitions(make).persist(_memory_and_disk())
        run_job(self._session, coded.collect)
        again = partial(_again_of_kept, self._again, key, function, arguments)
        self._kept.append(KeptParts(self._session, coded, key, self._n_rows, again))
        return self._kept[-1]

    def order(self) -> list[int]:
        """How many rows lie before each part."""
        return list(accumulate(self._n_rows, initial=0))[:-1]

    def close(self) -> None:
        """Removes the files, also of parts that were made of these."""
        for kept in self._kept:
            kept.close()
        if not self._is_closed:
            self._is_closed = True
            forget = partial(tasks.forget, self._key)
            run_job(self._session, self._coded.mapPartitions(forget).count)
            self._coded.unpersist()

    def _summed(self, ask: Callable[..., Any], add: Callable[[Any, Any], Any]) -> Any:
        context = self._session.sparkContext
        groups = self._coded.coalesce(min(self.n_parts, context.defaultParallelism))
        sums = groups.mapPartitions(partial(tasks.ask_kept, self._key, ask, add))
        together = partial(tasks.added, add)
        if groups.getNumPartitions() > _FEW:
            missing, total = run_job(self._session, partial(sums.treeReduce, together))
        else:
            missing, total = _reduced(together, run_job(self._session, sums.collect))
        if missing:
            rdd = self._again(ask)
            work = partial(context.runJob, rdd, list, sorted(missing))
            for row in run_job(self._session, work):
                _, total = together((set(), total), (set(), [tasks.unpacked(row.answer)]))
        return total[0]


def answered(X: Any, question: RowQuestion) -> Any:
    """The DataFrame with one more column, not computed yet: "prediction", "probability" (an array in the
    order of the classes), "cost" or "leaf".
    """
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    _check_frame(X)
    if question.name in X.columns:
        raise ValueError(
            f"the Spark DataFrame has a column {question.name!r}, which the answer is to be called: drop or "
            "rename it"
        )
    names = question.columns
    if names is None or not set(names) <= set(X.columns):
        names = list(X.columns)
    answer = _answer_type(question)
    schema = StructType([*X.schema.fields, StructField(question.name, from_arrow_type(answer))])
    work = partial(tasks.answer_rows, question, list(names), _arrow_schema(X), answer)
    return X.mapInArrow(work, schema)


def _answer_type(question: RowQuestion) -> Any:
    """The type of the column of answers, in Arrow."""
    import pyarrow as pa

    if question.labels is not None:
        return pa.list_(pa.float64())
    if question.classes is not None:
        return pa.array(list(question.classes)).type
    return pa.from_numpy_dtype(question.example.dtype)


def _again_of_kept(
    again: Callable[[Callable[..., Any]], Any],
    key: str,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    ask: Callable[..., Any],
) -> Any:
    return again(partial(tasks.keep_made, key, function, arguments, ask))


def _check_frame(X: Any) -> None:
    module, kind = type(X).__module__, type(X).__name__
    if ".connect" in module:
        raise TypeError("X is of a Spark Connect session, which has no RDDs: take a session of Spark itself")
    if kind != "DataFrame" or not module.startswith("pyspark.sql"):
        raise TypeError(f"X is a Spark {kind}: give a Spark DataFrame")


def _with_column(X: Any, column: Any, name: str) -> tuple[Any, Any]:
    """The frame and the name of the column; what is computed becomes a column of the frame."""
    if column is None or isinstance(column, str):
        return X, column
    if type(column).__name__ != "Column":
        raise TypeError(
            f"beside a Spark DataFrame the target and the weight are columns of it or their names, not "
            f"{type(column).__name__}"
        )
    chosen = X.select(column).columns[0]
    if chosen in X.columns:
        return X, chosen
    return X.withColumn(name, column), name


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _arrow_schema(frame: Any) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema)


def _memory_and_disk() -> Any:
    from pyspark import StorageLevel

    return StorageLevel.MEMORY_AND_DISK


def _nothing(part: Any) -> None:
    return None


def _reduced(add: Callable[[Any, Any], Any], answers: Any) -> Any:
    each: Iterator[Any] = iter(answers)
    total = next(each)
    for answer in each:
        total = add(total, answer)
    return total
