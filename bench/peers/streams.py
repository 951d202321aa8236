"""The data sets: read or made up, put into a random order, and written where every peer reads them."""
from __future__ import annotations

import lzma
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file, make_circles, make_moons

#: Widths of the Gaussian kernel exp(-d²/(2σ²)) in the paper, and the ζ of POMDR that belongs to them if it is not 2/3.
SIGMA = {"mushrooms": 2.0, "magic04": 0.5, "a9a": 4.0, "w8a": 4.0, "mnist12": 4.0, "ijcnn1": 4.0, "SUSY": 4.0,
         "moons": 0.5, "rings": 0.5, "checkerboard": 0.1}
ZETA = {"a9a": 0.5, "w8a": 0.5}
SCALED = ("magic04",)  # every feature to [0, 1]
MADE_UP = ("moons", "rings", "checkerboard")
MADE_UP_ROWS = 20_000
SUFFIX = ".libsvm.xz"


@dataclass(frozen=True)
class Stream:
    """Rows in the order in which all peers meet them, in a LIBSVM file with the labels -1 and 1."""

    name: str
    path: str
    rows: int
    features: int
    dense: bool  #: more than half of the values are not zero: peers are given arrays, not sparse matrices
    sigma: float
    zeta: float
    seed: int

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.sigma**2)

    def read(self) -> tuple[np.ndarray | scipy.sparse.csr_matrix, np.ndarray]:
        """All rows, as floats of 32 bits, which every peer takes and some are much faster with, and their labels."""
        X, y = load_svmlight_file(self.path, n_features=self.features, dtype=np.float32, zero_based=False)
        return X.toarray() if self.dense else X, y.astype(np.int64)


def shared_folder(kind: str) -> Path:
    """Where data sets of a kind are unless one says otherwise."""
    shared = os.environ.get("ALDER_SHARED") or Path(__file__).resolve().parents[3] / "shared"
    return Path(shared) / "data" / kind


def available(folder: Path, suffix: str = SUFFIX) -> list[str]:
    """The data sets in a folder."""
    return sorted(path.name.removesuffix(suffix) for path in folder.glob("*" + suffix))


def prepare(name: str, folder: Path, seed: int, target: Path) -> Stream:
    """Writes a data set into the folder `target`, permuted by `seed`."""
    X, y = _made_up(name, seed) if name in MADE_UP else _from_file(folder / (name + SUFFIX))
    if name in SCALED:
        X = _to_unit_interval(X)
    order = np.random.default_rng(seed).permutation(len(y))
    X, y = X[order], y[order]
    path = target / f"{name}.libsvm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    sigma = SIGMA.get(name) or 0.5 * median_distance(X[:500].toarray())  # what alder takes if it is told none
    dense = 2 * X.nnz > X.shape[0] * X.shape[1]
    return Stream(name, str(path), len(y), X.shape[1], dense, sigma, ZETA.get(name, 2 / 3), seed)


def sparse_rows(X: np.ndarray | scipy.sparse.csr_matrix) -> Iterable[tuple[list[int], list[float]]]:
    """Each row as the numbers of its features, 1 being the first, and their values."""
    X = scipy.sparse.csr_matrix(X)
    for first, end in zip(X.indptr[:-1], X.indptr[1:]):
        yield (X.indices[first:end] + 1).tolist(), X.data[first:end].tolist()


def _from_file(path: Path) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    with lzma.open(path) as file:
        X, y = load_svmlight_file(file, zero_based=False)
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"{path.name} has {len(classes)} different labels; expected 2")
    return X, np.where(y == classes[1], 1, -1)


def _made_up(name: str, seed: int) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    if name == "moons":
        X, y = make_moons(MADE_UP_ROWS, noise=0.2, random_state=seed)
    elif name == "rings":
        X, y = make_circles(MADE_UP_ROWS, noise=0.1, factor=0.5, random_state=seed)
    else:  # 4 × 4 fields, 2 % of the labels wrong
        random = np.random.default_rng(seed)
        X = random.random((MADE_UP_ROWS, 2))
        y = np.floor(4 * X).sum(axis=1) % 2 != (random.random(MADE_UP_ROWS) < 0.02)
    return scipy.sparse.csr_matrix(X), np.where(y, 1, -1)


def _to_unit_interval(X: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    dense = X.toarray()
    low, high = dense.min(axis=0), dense.max(axis=0)
    return scipy.sparse.csr_matrix((dense - low) / np.where(high > low, high - low, 1))


def median_distance(X: np.ndarray) -> float:
    """Of each two of these rows."""
    squares = np.sum(X**2, axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0))
    return float(np.median(distances[np.triu_indices(len(X), 1)]))
