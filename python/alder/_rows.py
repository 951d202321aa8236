"""Matrices as the compiled core sees them, and what depends on the version of scikit-learn."""
from __future__ import annotations

import json
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import check_random_state

from . import _alder

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6
    def validate_data(estimator, X, y="no_validation", **options):  # type: ignore[misc]
        return estimator._validate_data(X, y, **options)

#: How matrices are validated: nothing is copied that the core can read where it is.
MATRIX = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "accept_large_sparse": True}


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
