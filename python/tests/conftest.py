import numpy as np
import pytest
import scipy.sparse

import alder
from alder import estimators

CLASSIFIERS = [getattr(alder, name) for name in estimators.__all__ if name.endswith("Classifier")]
KERNEL_CLASSIFIERS = [cls for cls in CLASSIFIERS if cls is not alder.LinearClassifier]
WEIGHTED_CLASSIFIERS = [cls for cls in CLASSIFIERS
                        if cls not in (alder.Bao2ksClassifier, alder.ProjectronPlusPlusClassifier)]


def ring_rows(count, seed=0, classes=2):
    """Rings around the origin, which no straight lines separate."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, count)
    angle = rng.uniform(0, 2 * np.pi, count)
    radius = 1.0 + y + rng.normal(0, 0.15, count)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


@pytest.fixture(scope="session")
def rings():
    return ring_rows(2000)


@pytest.fixture(scope="session")
def sparse_rows():
    rng = np.random.default_rng(1)
    X = scipy.sparse.random(1500, 60, density=0.15, format="csr", random_state=2)
    y = np.where(np.asarray(X[:, :10].sum(axis=1)).ravel() > np.asarray(X[:, 10:20].sum(axis=1)).ravel(), "yes", "no")
    flip = rng.random(1500) < 0.05
    y[flip] = np.where(y[flip] == "yes", "no", "yes")
    return X, y


@pytest.fixture(scope="session")
def four_rings():
    return ring_rows(3000, seed=4, classes=4)


def encoded(model):
    """The bytes of its file."""
    return model._model.encode()


def noisy_rows(count, seed):
    """Rows of three classes, and the probabilities with which these were drawn."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (count, 2))
    odds = np.exp(2.0 * np.column_stack([np.sin(2 * X[:, 0]), np.cos(2 * X[:, 1]), 0.5 * X[:, 0] * X[:, 1] - 0.5]))
    shares = odds / odds.sum(axis=1, keepdims=True)
    return X, (rng.random((count, 1)) > shares.cumsum(axis=1)).sum(axis=1), shares
