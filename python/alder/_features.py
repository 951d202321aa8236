"""Feature maps: rows in, a fixed number of features out, whose inner products approximate a kernel."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _alder
from ._rows import MATRIX, as_rows, kernel_json, seed_of, to_json, validate_data


class _FeatureMap(TransformerMixin, BaseEstimator):
    _cache: dict[str, _alder.FeatureMap]  # "map": made when it is first needed, from the rest

    def fit(self, X: Any, y: Any = None) -> Any:
        """Begins anew with these rows."""
        self.__dict__.pop("_kernel", None)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Any:
        raise NotImplementedError

    def transform(self, X: Any) -> np.ndarray:
        """The features of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **MATRIX)
        features = self._made_map()
        out = np.empty((X.shape[0], features.features))
        features.transform(as_rows(X), out)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self)
        name = type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(self._made_map().features)], dtype=object)

    def _made_map(self) -> _alder.FeatureMap:
        if "map" not in self._cache:
            self._cache["map"] = self._make_map()
        return self._cache["map"]

    def _make_map(self) -> _alder.FeatureMap:
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return self._made_map().features

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_kernel")

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {**state, "_cache": {}} if "_cache" in state else state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {}


class RandomFourierFeatures(_FeatureMap):
    """The cosines and sines of random projections (Rahimi and Recht 2007), for gaussian and laplacian kernels.

    Nothing is learned from rows but their number of columns and, for sigma='auto', the width from the first of them.

    Parameters
    ----------
    frequencies : int, default=400
        There are twice as many features. Inner products err by about 1/sqrt(frequencies).
    kernel : str, default="gaussian"
        'gaussian' or 'laplacian'.
    sigma : float | str, default="auto"
        Width; 'auto': half the median distance of the first rows, at most 500, of the first call.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian.
    random_state : int | np.random.RandomState | None, default=1
        The same one gives the same features, in whatever order columns come.
    precision : str, default="float"
        'float' or 'double'.
    """

    def __init__(self, *, frequencies: int = 400, kernel: str = "gaussian", sigma: float | str = "auto",
                 gamma: float | None = None, random_state: Any = 1, precision: str = "float") -> None:
        self.frequencies = frequencies
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.random_state = random_state
        self.precision = precision

    def partial_fit(self, X: Any, y: Any = None) -> "RandomFourierFeatures":
        """The first rows decide; later ones are only checked."""
        first = not hasattr(self, "_kernel")
        X = validate_data(self, X, reset=first, **MATRIX)
        if first:
            if self.kernel not in ("gaussian", "laplacian"):
                raise ValueError(f"kernel is {self.kernel!r}; expected 'gaussian' or 'laplacian'")
            self._kernel = to_json(kernel_json(self, as_rows(X)))
            self._seed = seed_of(self.random_state)
            self._cache = {}
        return self

    def _make_map(self) -> _alder.FeatureMap:
        return _alder.FeatureMap.fourier(self._kernel, self.frequencies, self._seed, self.precision)


class NystromFeatures(_FeatureMap):
    """The kernel seen from the first rows, reduced to their leading directions (Williams and Seeger 2001).

    Parameters
    ----------
    rows : int, default=400
        The number of first rows that are stored; those after them change nothing.
    rank : int | None, default=None
        The most features; None: as many as there are directions above the rounding errors.
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows, at most 500, of the first
        call.
    gamma : float | None, default=None
        Instead of sigma; also the factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    precision : str, default="float"
        'float' or 'double'.
    """

    def __init__(self, *, rows: int = 400, rank: int | None = None, kernel: str = "gaussian",
                 sigma: float | str = "auto", gamma: float | None = None, degree: int = 3, coef0: float = 1.0,
                 precision: str = "float") -> None:
        self.rows = rows
        self.rank = rank
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.precision = precision

    def partial_fit(self, X: Any, y: Any = None) -> "NystromFeatures":
        """Stores rows until there are enough; the map is made anew when it is next used."""
        first = not hasattr(self, "_kernel")
        X = validate_data(self, X, reset=first, **MATRIX)
        if self.rows < 1:
            raise ValueError(f"rows is {self.rows}; expected at least 1")
        if first:
            self._kernel = to_json(kernel_json(self, as_rows(X)))
            self._seen = X[:0]
            self._cache = {}
        missing = self.rows - self._seen.shape[0]
        if missing > 0 and X.shape[0] > 0:
            stack = scipy.sparse.vstack if scipy.sparse.issparse(X) else np.vstack
            seen = self._seen
            if scipy.sparse.issparse(seen) != scipy.sparse.issparse(X):
                X = X.toarray() if scipy.sparse.issparse(X) else scipy.sparse.csr_matrix(X)
                stack = np.vstack if not scipy.sparse.issparse(seen) else scipy.sparse.vstack
            self._seen = stack([seen, X[:missing]])
            if scipy.sparse.issparse(self._seen):
                self._seen = self._seen.tocsr()
            self._cache = {}
        return self

    def _make_map(self) -> _alder.FeatureMap:
        return _alder.FeatureMap.nystrom(self._kernel, as_rows(self._seen), self.rank, self.precision)
