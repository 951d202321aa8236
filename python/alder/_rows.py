"""Matrices as the compiled core sees them, and what depends on the version of scikit-learn."""
from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import assert_all_finite, check_random_state, column_or_1d

from . import _alder
from ._tables import TableRows, is_table, table_of

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6
    def validate_data(estimator, X, y="no_validation", **options):  # type: ignore[misc]
        return estimator._validate_data(X, y, **options)

#: How matrices are validated: nothing is copied that the core can read where it is.
MATRIX = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "accept_large_sparse": True}


class TakenRows:
    """Rows that were given to an estimator, for its model."""

    def __init__(self, rows: _alder.RowSource, table: TableRows | None = None, label: str = "") -> None:
        self.rows = rows
        self._table = table
        self._label = label

    def __len__(self) -> int:
        return len(self.rows)

    def tell_columns(self, model: _alder.Model, columns: dict[Any, str] | None) -> None:
        """What the columns are, for a new model: it finds out those that are not given, unless the rows have none."""
        if self._table is not None:
            model.set_columns(self._table.rows, self._table.kinds(columns), self._label)


def take(estimator: Any, X: Any, *, reset: bool) -> TakenRows:
    """The rows of X, for the model of the estimator: as they are if they come as a matrix, else by the names of their columns."""
    return _take(estimator, X, None, reset, False)[0]


def take_labelled(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[TakenRows, np.ndarray]:
    """The same with a label for each row."""
    return _take(estimator, X, y, reset, True)


def _take(estimator: Any, X: Any, y: Any, reset: bool, labelled: bool) -> tuple[TakenRows, Any]:
    model = None if reset else estimator._model
    knows_columns = model is not None and model.columns is not None
    label = getattr(y, "name", None)
    label = label if isinstance(label, str) else ""
    if is_table(X) and (reset or knows_columns):
        table = table_of(X)
        if labelled:
            y = _check_labels(estimator, y, len(table.rows))
        if reset:
            set_columns(estimator, table.names, len(table.labels))
        else:
            _warn_of_names(estimator, bool(table.names))
        return TakenRows(table.rows, table, label), y
    X, y = _validate(estimator, X, y, reset, labelled)
    by_column = getattr(estimator, "columns", None) is not None if reset else knows_columns and not model.takes_matrices
    if by_column and reset and scipy.sparse.issparse(X):
        raise ValueError("columns= is given with a sparse matrix, whose features are numbers; expected a dense matrix or a table")
    if by_column and not scipy.sparse.issparse(X):
        table = table_of(X)
        return TakenRows(table.rows, table, label), y
    return TakenRows(as_rows(X)), y


def _validate(estimator: Any, X: Any, y: Any, reset: bool, labelled: bool) -> tuple[Any, Any]:
    """A matrix, and its labels if there are any."""
    try:
        if labelled:
            return validate_data(estimator, X, y, reset=reset, **MATRIX)
        return validate_data(estimator, X, reset=reset, **MATRIX), None
    except ValueError as error:
        if "Input X contains NaN" not in str(error):
            raise
        raise ValueError("Input X contains NaN, which a matrix cannot have; expected numbers, or a DataFrame (pandas, polars, "
                         "pyarrow), in which values may be missing") from error


def set_columns(estimator: Any, names: list[str], count: int) -> None:
    """What scikit-learn wants to know of the columns that an estimator has learned."""
    estimator.n_features_in_ = count
    if names:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _warn_of_names(estimator: Any, has_names: bool) -> None:
    """Columns are taken by their places then; the words are scikit-learn's."""
    kind = type(estimator).__name__
    if hasattr(estimator, "feature_names_in_") and not has_names:
        warnings.warn(f"X does not have valid feature names, but {kind} was fitted with feature names", stacklevel=5)
    elif has_names and not hasattr(estimator, "feature_names_in_"):
        warnings.warn(f"X has feature names, but {kind} was fitted without feature names", stacklevel=5)


def _check_labels(estimator: Any, y: Any, rows: int) -> np.ndarray:
    if y is None:
        raise ValueError(f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    if len(y) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(y)]}")
    return y


def as_rows(X: Any) -> _alder.Rows:
    """The rows of a validated matrix, without a copy unless the indices of a sparse one have to be sorted."""
    if not scipy.sparse.issparse(X):
        return _alder.Rows.dense(X)
    rows = _csr_rows(X)  # checks the row starts, which SciPy trusts
    if X.has_canonical_format:
        return rows
    X = X.copy()
    X.sum_duplicates()
    return _csr_rows(X)


def _csr_rows(X: Any) -> _alder.Rows:
    # SciPy may hold the two in different types.
    starts = X.indptr if X.indptr.dtype in (np.int32, np.int64) else X.indptr.astype(np.int64)
    indices = X.indices if X.indices.dtype in (np.int32, np.int64) else X.indices.astype(np.int64)
    return _alder.Rows.csr(X.data, indices, starts, X.shape[1])


def seed_of(random_state: Any) -> int:
    """A number for the core's random numbers: the state itself if it is one."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def find_kernel(name: Any) -> dict[str, Any]:
    """The kernel of that name, as _alder.kernels() lists it."""
    kernels = _alder.kernels()
    for kernel in kernels:
        if kernel["name"] == name:
            return kernel
    *others, last = (repr(kernel["name"]) for kernel in kernels)
    raise ValueError(f"kernel is {name!r}; expected {', '.join(others)} or {last}")


def _number(value: Any, parameter: dict[str, Any]) -> float:
    if value is None:
        return parameter["default"]
    return int(value) if parameter["whole"] else float(value)


def kernel_json(estimator: Any, rows: _alder.Rows | None = None) -> dict[str, Any] | None:
    """The kernel that the parameters of an estimator describe. An automatic width is left to the learner; for rows that are
    given it is half the median distance of the first 500."""
    name = estimator.kernel
    kernel = find_kernel(name)
    if not kernel["radial"]:
        return {"name": name} | {parameter["name"]: _number(getattr(estimator, parameter["name"]), parameter)
                                 for parameter in kernel["parameters"]}
    if estimator.gamma is not None:
        return {"name": name, "gamma": float(estimator.gamma)}
    if isinstance(estimator.sigma, str):
        if estimator.sigma != "auto":
            raise ValueError(f"sigma is {estimator.sigma!r}; expected a number or 'auto'")
        if rows is not None:
            return {"name": name, "sigma": 0.5 * _alder.median_distance(rows, None)}
        return None if name == _alder.kernels()[0]["name"] else {"name": name}
    return {"name": name, "sigma": float(estimator.sigma)}


def to_json(options: dict[str, Any]) -> str:
    """Options for the core. NumPy's numbers are numbers, None is left to the learner."""
    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        raise TypeError(f"{value!r} is no option; expected a number or text")

    return json.dumps({name: value for name, value in options.items() if value is not None}, default=plain,
                      allow_nan=False)
