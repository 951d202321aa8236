"""How a classifier does while it learns."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ._classifier import KernelClassifier, check_target
from ._progress import Progress
from ._rows import take_labelled


@dataclass(frozen=True)
class Curve:
    """What each round left; all arrays have one entry for each row, in the order in which they were learned."""

    #: made before the row was learned: of two classes positive for the second; of more, how far the class that was predicted is
    #: ahead of the next
    score: np.ndarray
    predicted: np.ndarray  #: labels; that of the first row is the first class
    probability: np.ndarray  #: of the row's own class, before the row was learned; NaN without probabilities
    mistakes: np.ndarray  #: so far
    log_loss: np.ndarray  #: mean so far, of the rows whose class was known; NaN before there are any
    support: np.ndarray  #: how many rows are stored
    learning_rate: np.ndarray
    sum_delta: np.ndarray  #: the proxy for the kernel alignment; NaN for learners that have none
    estimator: KernelClassifier  #: what has learned all rows

    @property
    def mistake_rate(self) -> np.ndarray:
        """The part of the rows so far that was predicted wrongly."""
        return self.mistakes / np.arange(1, len(self.mistakes) + 1)


def progressive(X: Any, y: Any, estimator: KernelClassifier, order: Any = None) -> Curve:
    """Progressive validation: a fresh copy of the estimator predicts each row before it learns it.

    ``order`` is None for the rows as they come, "random" for a permutation by the estimator's random_state, or an array of
    row numbers, which may leave out or repeat rows.
    """
    if not isinstance(estimator, KernelClassifier):
        raise TypeError(f"progressive draws the curve of a classifier of this package, not of {type(estimator).__name__}; stats_ of "
                        "a regressor tells what its predictions before learning were worth")
    estimator = clone(estimator)
    rows, y = take_labelled(estimator, X, y, reset=True)
    check_target(y)
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError("y has only 1 class; expected at least 2 different labels")
    if isinstance(order, str):
        if order != "random":
            raise ValueError(f"order is {order!r}; expected None, 'random' or an array of row numbers")
        order = check_random_state(estimator.random_state).permutation(len(rows))
    if order is not None:
        order = np.ascontiguousarray(order, dtype=np.int64)
        if order.ndim != 1 or (len(order) and (order.min() < 0 or order.max() >= len(rows))):
            raise ValueError(f"order names rows that are not there; expected numbers from 0 to {len(rows) - 1}")
    count = len(rows) if order is None else len(order)
    estimator._begin(rows, [classes], horizon=count)
    model = estimator._model
    score, probability, mistakes, log_loss, support, learning_rate, sum_delta = (np.empty(count) for _ in range(7))
    predicted = np.empty(count, dtype=np.uint32)
    with Progress(estimator.verbose, count) as progress:
        model.trace(rows.rows, estimator._targets(y), order, score, predicted, probability, mistakes, log_loss, support,
                    learning_rate, sum_delta, progress.callback)
    if len(classes) > 2:
        score = np.abs(score)  # also while only two had been met
    elif not estimator._is_upright():
        score = 0.0 - score
    return Curve(score, estimator._names.labels_of(predicted, model), probability, mistakes.astype(np.int64), log_loss,
                 support.astype(np.int64), learning_rate, sum_delta, estimator)
