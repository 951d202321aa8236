"""Tables as the compiled core sees them: data frames of pandas and polars, Arrow's tables, and lists of dicts."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _alder

_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def is_table(X: Any) -> bool:
    """Whether this has columns, each of a type of its own. A data frame of nothing but sparse columns is a matrix."""
    if _is_of(X, "pandas", "DataFrame"):
        sparse = sys.modules["pandas"].SparseDtype
        return not (len(X.dtypes) and all(isinstance(dtype, sparse) for dtype in X.dtypes))
    if _is_of(X, "polars", "DataFrame") or _is_of(X, "pyarrow", "Table", "RecordBatch"):
        return True
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(row, dict) for row in X)


class TableRows:
    """A table for the core, with what its columns are called: ``names`` is empty if these are no texts."""

    def __init__(self, labels: Sequence[Any], size: int, is_open: bool = False) -> None:
        self.labels = list(labels)
        if len(set(self.labels)) < len(self.labels):
            double = next(label for label in self.labels if self.labels.count(label) > 1)
            raise ValueError(f"two columns are called {double!r}; expected different names")
        texts = [isinstance(label, str) for label in self.labels]
        if any(texts) and not all(texts):
            other = next(label for label, is_text in zip(self.labels, texts) if not is_text)
            raise TypeError(f"a column is called {other!r} and others by text; expected names that all are text")
        self.names = [str(label) for label in self.labels] if all(texts) else []
        self.rows = _alder.Table(size, is_open)
        if size == 0 or not self.labels:
            raise ValueError(f"the table has {size} sample(s) and {len(self.labels)} feature(s) "
                             f"(shape=({size}, {len(self.labels)})) while a minimum of 1 is required.")

    def name(self, place: int) -> str:
        return self.names[place] if self.names else ""

    def kinds(self, columns: dict[Any, str] | None) -> dict[int, str]:
        """The kinds that are given, by place."""
        if not isinstance(columns or {}, dict):
            raise TypeError(f"columns is a {type(columns).__name__}; expected a dict of kinds by column")
        for label in columns or {}:
            if label not in self.labels:
                raise ValueError(f"columns names {label!r}; expected columns of the table, which has "
                                 f"{', '.join(map(str, self.labels[:10]))}{', ...' if len(self.labels) > 10 else ''}")
        return {self.labels.index(label): kind for label, kind in (columns or {}).items()}


def table_of(X: Any) -> TableRows:
    """The rows of anything that is_table, or of a matrix of numbers, whose columns are called 0, 1, …"""
    if isinstance(X, np.ndarray):
        table = TableRows(range(X.shape[1]), X.shape[0])
        for place in range(X.shape[1]):
            table.rows.add_numbers("", X[:, place])
        return table
    if isinstance(X, (list, tuple)):
        return _of_dicts(X)
    if _is_of(X, "pandas", "DataFrame"):
        table = TableRows(X.columns, len(X))
        for place in range(X.shape[1]):
            _add_series(table.rows, table.name(place), X.iloc[:, place])
        return table
    if _is_of(X, "polars", "DataFrame"):
        return _of_polars(X)
    table = TableRows(X.schema.names, X.num_rows)
    for place in range(X.num_columns):
        _add_arrow(table.rows, table.name(place), X.column(place))
    return table


def _is_of(X: Any, module: str, *names: str) -> bool:
    """Whether this is an object of such a class, of a module that is loaded only if it can be."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(X, getattr(loaded, name, ())) for name in names)


def _of_dicts(X: Sequence[dict[Any, Any]]) -> TableRows:
    labels = list(dict.fromkeys(label for row in X for label in row))
    table = TableRows(labels, len(X), is_open=True)
    for place, label in enumerate(labels):
        name = table.name(place)
        cells = [row.get(label) for row in X]
        kinds = {type(cell) for cell in cells} - {type(None)}
        if kinds and kinds <= {int, float, np.float64, np.float32, np.int64, np.int32}:
            table.rows.add_numbers(name, np.array([np.nan if cell is None else cell for cell in cells], dtype=float))
        elif kinds and kinds <= {bool, np.bool_}:
            table.rows.add_booleans(name, np.array([bool(cell) for cell in cells]), np.array([cell is None for cell in cells]))
        else:
            table.rows.add_objects(name, cells)
    return table


def _of_polars(X: Any) -> TableRows:
    table = TableRows(X.columns, X.height)
    for place, series in enumerate(X.get_columns()):
        name = table.name(place)
        if series.dtype.is_numeric() and not series.dtype.is_decimal() and not series.null_count():
            _add_array(table.rows, name, series.to_numpy())
        elif _has_arrow():
            _add_arrow(table.rows, name, series.to_arrow())
        elif series.dtype.is_numeric():
            table.rows.add_numbers(name, series.to_numpy().astype(float))
        else:
            table.rows.add_objects(name, series.to_list())
    return table


def _has_arrow() -> bool:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def _add_array(rows: _alder.Table, name: str, values: np.ndarray) -> None:
    """A column in a NumPy array."""
    kind = values.dtype.kind
    if kind == "M":
        unit, count = np.datetime_data(values.dtype)
        if unit not in _UNITS or count != 1:
            values, unit = values.astype("datetime64[s]"), "s"
        rows.add_times(name, values.view(np.int64), _UNITS[unit])
    elif kind == "m":
        missing = np.isnat(values)
        rows.add_numbers(name, values / np.timedelta64(1, "s"), missing)
    elif kind == "b":
        rows.add_booleans(name, values)
    elif kind in "iu" or values.dtype in (np.float32, np.float64):
        rows.add_numbers(name, values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("=")))
    elif kind == "f":
        rows.add_numbers(name, values.astype(np.float64))
    elif kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} has complex numbers; expected real ones")
    else:
        rows.add_objects(name, values.tolist())


def _add_series(rows: _alder.Table, name: str, series: Any) -> None:
    """A column of a pandas data frame."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        _add_array(rows, name, series.to_numpy())
    elif isinstance(dtype, pd.CategoricalDtype):
        rows.add_codes(name, series.cat.codes.to_numpy(), list(dtype.categories))
    elif isinstance(dtype, pd.DatetimeTZDtype):
        _add_array(rows, name, series.dt.tz_localize(None).to_numpy())  # the time on the clocks there
    elif isinstance(dtype, pd.PeriodDtype):
        _add_array(rows, name, series.dt.to_timestamp().to_numpy())
    elif isinstance(dtype, pd.SparseDtype):
        _add_array(rows, name, series.sparse.to_dense().to_numpy())
    elif hasattr(series.array, "__arrow_array__") and not isinstance(dtype, pd.IntervalDtype) and _is_in_arrow(dtype):
        _add_arrow(rows, name, series.array.__arrow_array__())
    elif dtype.kind in "iufb":  # Int64, Float64, boolean
        missing = series.isna().to_numpy()
        plain = np.dtype(bool if dtype.kind == "b" else dtype.numpy_dtype)
        values = series.to_numpy(dtype=plain, na_value=plain.type(0)) if missing.any() else series.to_numpy(dtype=plain)
        add = rows.add_booleans if dtype.kind == "b" else rows.add_numbers
        add(name, values, missing)
    else:
        rows.add_objects(name, series.tolist())


def _is_in_arrow(dtype: Any) -> bool:
    """Whether Arrow holds the cells of a column of pandas already."""
    return type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", "") == "pyarrow"


def _add_arrow(rows: _alder.Table, name: str, column: Any) -> None:
    """A column of an Arrow table: its buffers, where they are unless it comes in parts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks == 1:
            column = column.chunk(0)
        else:
            column = column.combine_chunks()
            column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    kind = column.type
    if pa.types.is_dictionary(kind):
        missing = _nulls(column)
        codes = column.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        if missing is not None:
            codes[missing] = -1
        rows.add_codes(name, codes, column.dictionary.to_pylist())
        return
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        column = pc.local_timestamp(column)
        kind = column.type
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_null(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s")) if pa.types.is_date32(kind) else column.cast(pa.timestamp("ms"))
    elif getattr(pa.types, "is_string_view", lambda _: False)(kind):
        column = column.cast(pa.large_string())
    elif pa.types.is_duration(kind):
        column = pc.divide(column.cast(pa.int64()).cast(pa.float64()), float(_UNITS[kind.unit]))
    kind = column.type
    missing = _nulls(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        rows.add_numbers(name, _buffer(column, 1, kind.to_pandas_dtype(), 0), missing)
    elif pa.types.is_boolean(kind):
        rows.add_booleans(name, column.fill_null(False).to_numpy(zero_copy_only=False), missing)
    elif pa.types.is_timestamp(kind):
        rows.add_times(name, _buffer(column, 1, np.int64, 0), _UNITS[kind.unit], missing)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        starts = _buffer(column, 1, np.int32 if pa.types.is_string(kind) else np.int64, 1)
        data = column.buffers()[2]
        rows.add_texts(name, starts, np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8), missing)
    else:
        rows.add_objects(name, column.to_pylist())


def _nulls(column: Any) -> np.ndarray | None:
    return column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None


def _buffer(column: Any, part: int, dtype: Any, more: int) -> np.ndarray:
    """As many numbers of a buffer as there are cells, and some more."""
    data = column.buffers()[part]
    if data is None or len(column) == 0:
        return np.zeros(len(column) + more, dtype)
    return np.frombuffer(data, dtype)[column.offset:column.offset + len(column) + more]
