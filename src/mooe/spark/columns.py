"""Which columns of a DataFrame are what, checked, and as workers take them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from mooe.spark.bucket import ID, KEY, LABEL, PLACE, TIE
from mooe.streams.stream import nearest

WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
REAL = (T.FloatType, T.DoubleType, T.DecimalType)
ADDED = ("prediction", "probabilities", "regime", "version", "outcome")


@dataclass(frozen=True)
class Columns:
    """The columns of a DataFrame by what they are."""

    key: str
    features: tuple[str, ...]
    label: str
    seq: str
    id: str | None = None
    keep: tuple[str, ...] = ()
    task: str = "classification"

    @property
    def carried(self) -> tuple[str, ...]:
        """Those that are given back with the answers, once each."""
        named = (self.key, self.seq, self.id, self.label, *self.keep)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def check(self, df: DataFrame) -> None:
        """Raise ValueError for the first column that is missing, or of a type that it cannot be."""
        if not self.features:
            raise ValueError("features must name at least one column, got none")
        used = [*self.carried, *self.features]
        for name in used:
            if name not in df.columns:
                hint = nearest(name, df.columns)
                rule = f"columns must be some of {', '.join(df.columns)}, got {name!r}"
                raise ValueError(f"{rule}; {hint}" if hint else rule)
        for name in self.carried:
            if name in ADDED:
                raise ValueError(f"columns must not be called {', '.join(ADDED)}, got {name!r}")
        for what, own in (("label", self.label), ("id", self.id)):
            if own in self.features:
                raise ValueError(f"features must not name the {what}, got {own!r}")
        if self.label in (self.key, self.seq, self.id):
            raise ValueError(
                f"label must be another column than key, seq and id, got {self.label!r}"
            )
        for name in self.features:
            kind = df.schema[name].dataType
            if not isinstance(kind, (*WHOLE, *REAL, T.BooleanType)):
                raise ValueError(
                    f"features must be numbers or true and false, got {name!r} of "
                    f"{kind.simpleString()}; encode texts first"
                )
        self._check_one(
            "seq", df, self.seq, (*WHOLE, *REAL, T.TimestampType, T.TimestampNTZType, T.DateType)
        )
        labels = (*WHOLE, *REAL) if self.task == "regression" else (
            *WHOLE, T.FloatType, T.DoubleType, T.StringType, T.BooleanType
        )  # fmt: skip
        self._check_one("label", df, self.label, labels)
        plain = (*WHOLE, T.StringType, T.DateType, T.TimestampType)
        self._check_one("key", df, self.key, (*plain, T.BooleanType))
        if self.id is not None:
            self._check_one("id", df, self.id, plain)

    def _check_one(self, what: str, df: DataFrame, name: str, kinds: tuple[Any, ...]) -> None:
        """Raise ValueError unless a column is of one of these types."""
        kind = df.schema[name].dataType
        if not isinstance(kind, kinds):
            words = ", ".join(one.__name__.removesuffix("Type").lower() for one in kinds)
            raise ValueError(
                f"{what} must be one of {words}, got {name!r} of {kind.simpleString()}"
            )

    def place_type(self, df: DataFrame) -> str:
        """Return the type of places: numbers with a fraction, or whole ones."""
        return "double" if isinstance(df.schema[self.seq].dataType, REAL) else "long"

    def for_workers(self, df: DataFrame) -> DataFrame:
        """Return a DataFrame with the columns that workers take."""
        seq = F.col(_quoted(self.seq))
        kind = df.schema[self.seq].dataType
        if isinstance(kind, T.DateType):
            seq = F.unix_date(seq)
        elif isinstance(kind, T.TimestampNTZType):  # as if in UTC, whose clock is never put back
            seq = F.unix_micros(F.concat(seq.cast("string"), F.lit("Z")).cast("timestamp"))
        elif isinstance(kind, T.TimestampType):
            seq = F.unix_micros(seq)
        own = [
            _as_text(df, self.key).alias(KEY),
            seq.cast("double" if self.place_type(df) == "double" else "long").alias(PLACE),
            F.xxhash64(*[F.col(_quoted(name)) for name in _hashed(df)]).alias(TIE),
            F.col(_quoted(self.label)).cast(self._label_type(df)).alias(LABEL),
        ]
        if self.id is not None:
            own.append(_as_text(df, self.id).alias(ID))
        features = [
            F.col(_quoted(name)).cast("double").alias(f"x_{at}")
            for at, name in enumerate(self.features)
        ]
        carried = [F.col(_quoted(name)).alias(f"c_{at}") for at, name in enumerate(self.carried)]
        return df.select(*own, *features, *carried)

    def worker_features(self) -> tuple[str, ...]:
        """Return what workers call the inputs."""
        return tuple(f"x_{at}" for at in range(len(self.features)))

    def worker_carried(self) -> tuple[str, ...]:
        """Return what workers call the columns that they give back."""
        return tuple(f"c_{at}" for at in range(len(self.carried)))

    def answer_schema(self, df: DataFrame) -> T.StructType:
        """Return the columns that workers give back."""
        fields = [
            T.StructField(f"c_{at}", df.schema[name].dataType)
            for at, name in enumerate(self.carried)
        ]
        kind = self._label_type(df)
        fields.append(T.StructField("prediction", kind))
        if self.task == "classification":
            fields.append(T.StructField("probabilities", T.MapType(kind, T.DoubleType())))
        fields += [
            T.StructField("regime", T.LongType()),
            T.StructField("version", T.LongType()),
            T.StructField("outcome", T.StringType()),
        ]
        return T.StructType(fields)

    def _label_type(self, df: DataFrame) -> Any:
        """Return the type of answers: that of labels, whole numbers as long ones."""
        kind = df.schema[self.label].dataType
        if self.task == "regression" or isinstance(kind, T.FloatType):
            return T.DoubleType()
        return T.LongType() if isinstance(kind, WHOLE) else kind

    def as_given(self, answers: DataFrame) -> DataFrame:
        """Return answers with the columns called as in the DataFrame."""
        carried = [F.col(f"c_{at}").alias(name) for at, name in enumerate(self.carried)]
        rest = [F.col(name) for name in ADDED if name in answers.columns]
        return answers.select(*carried, *rest)


def of_names(
    key: str,
    features: Sequence[str],
    label: str,
    seq: str,
    id: str | None,
    keep: Sequence[str],
    task: str,
) -> Columns:
    """Return columns by name, or raise ValueError for what is no name."""
    for what, name in (("key", key), ("label", label), ("seq", seq), ("id", id)):
        if not (isinstance(name, str) or (what == "id" and name is None)):
            raise ValueError(f"{what} must be the name of a column, got {name!r}")
    for what, names in (("features", features), ("keep", keep)):
        if (
            not isinstance(names, Iterable)
            or isinstance(names, str)
            or not all(isinstance(name, str) for name in names)
        ):
            raise ValueError(f"{what} must be a list of names of columns, got {names!r}")
    return Columns(key, tuple(features), label, seq, id, tuple(keep), task)


def _hashed(df: DataFrame) -> list[str]:
    """Return the columns that Spark has a hash of: all without maps in them."""
    return [field.name for field in df.schema.fields if not _has_map(field.dataType)]


def _has_map(kind: Any) -> bool:
    """Whether there are maps, or values of any type, in values of a type."""
    if isinstance(kind, T.ArrayType):
        return _has_map(kind.elementType)
    if isinstance(kind, T.StructType):
        return any(_has_map(field.dataType) for field in kind.fields)
    return isinstance(kind, (T.MapType, T.VariantType))


def _as_text(df: DataFrame, name: str) -> Any:
    """Return a column as texts, times as microseconds: equal ones in every time zone."""
    column = F.col(_quoted(name))
    if isinstance(df.schema[name].dataType, T.TimestampType):
        column = F.unix_micros(column)
    return column.cast("string")


def _quoted(name: str) -> str:
    """Return a name that may have dots in it, as Spark takes it."""
    return f"`{name.replace('`', '``')}`"
