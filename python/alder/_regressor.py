"""What all regressors share. The classes themselves, one for each learner with a loss for numbers, are in estimators.py."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._estimator import KernelEstimator, threads_for, weights_of
from ._rows import TakenRows, take, take_labelled


class KernelRegressor(RegressorMixin, KernelEstimator):
    """A regressor that learns its rows one after the other, in one pass.

    Not for direct use: every learner has a class of its own, which says what its parameters are.

    Rows come as a matrix, of NumPy or sparse (CSR), or as a table: a DataFrame of pandas or polars, a Table or RecordBatch of
    pyarrow, a list of dicts, as for classifiers.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns.
    encoded_feature_names_ : list of str
        What the features are called that the columns of a table became.
    columns_ : dict or None
        What the columns of a table are, by name.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the rows came with any.
    t_ : int
        How many rows were learned so far.
    stats_ : dict
        What the learner reports, and what the predictions made before learning were worth, in units of the target: rmse, mae,
        pinball, width_80, width_90, width_95; as shares: nrmse and nmae (of the standard deviation of the targets), r2,
        coverage_80, coverage_90, coverage_95.
    support_vectors_ : csr_matrix of shape (n_support_, n_features_in_), of a table (n_support_, number of encoded features)
        The rows that are stored.
    n_support_ : int
        How many there are.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelRegressor":
        """Learns all rows once, in a random order unless ``shuffle=False``, forgetting what was learned before.

        ``sample_weight`` has a number from 0 to 1e6 for each row, which multiplies its step: a weight of 2 is about as two
        such rows. A row with the weight 0 is left out. Ctrl-C ends it early; what was learned by then is kept.
        """
        rows, y = take_labelled(self, X, y, reset=True)
        targets = _targets(y)
        weights, order = weights_of(sample_weight, len(rows))
        count = len(rows) if order is None else len(order)
        if count == 0:
            raise ValueError("all sample weights are zero; expected some that are not")
        if self.shuffle:
            shuffled = check_random_state(self.random_state).permutation(count).astype(np.int64, copy=False)
            order = shuffled if order is None else order[shuffled]
        self._begin(rows, horizon=count)
        return self._learn(rows, targets, weights, order)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelRegressor":
        """Learns rows once, in their order, going on from what was learned before. ``sample_weight`` is as in ``fit``."""
        first = not hasattr(self, "_model")
        rows, y = take_labelled(self, X, y, reset=first)
        targets = _targets(y)
        weights, order = weights_of(sample_weight, len(rows))
        if first:
            self._begin(rows, horizon=None)
        return self._learn(rows, targets, weights, order)

    def predict(self, X: Any, return_interval: float | None = None, return_std: bool = False) -> Any:
        """What is expected of each row.

        With ``return_interval``, a share such as 0.9, also an array of shape (rows, 2): between its ends lies about that share
        of the targets, if rows to come are as those before. With ``return_std`` also the standard deviation of each target, NaN
        from learners that do not know it. With both, ``(values, intervals, deviations)``.
        """
        if return_interval is None:
            levels = []
        elif 0.0 < return_interval < 1.0:
            levels = [0.5 - return_interval / 2.0, 0.5 + return_interval / 2.0]
        else:
            raise ValueError(f"return_interval is {return_interval!r}; expected a share between 0 and 1, such as 0.9")
        values, quantiles, deviations = self._predict(X, levels, return_std)
        found = (values, *([quantiles] if levels else []), *([deviations] if return_std else []))
        return found if len(found) > 1 else values

    def predict_quantiles(self, X: Any, levels: Any) -> np.ndarray:
        """The quantiles of the target of each row, a column for each of ``levels``: below that of 0.1 lie about 10 % of the
        targets."""
        levels = [float(level) for level in np.atleast_1d(levels)]
        if not levels or not all(0.0 < level < 1.0 for level in levels):
            raise ValueError(f"levels are {levels}; expected numbers between 0 and 1")
        return self._predict(X, levels, False)[1]

    def explain(self, X: Any, top: int = 5) -> list[dict[str, Any]]:
        """Why each row is predicted as it is: which features and which stored rows moved its value most.

        A dict for each row: ``value``, and what classifiers tell likewise of their scores: ``score`` (the value, unless the loss
        is poisson: its logarithm), ``features``, ``stored_rows``, ``rest``. docs/explain.md says more.
        """
        found = self._explanations(X, top)
        return [{key: part for key, part in one.items() if key not in ("predicted", "towards", "against", "probability")}
                for one in found]

    @property
    def stats_(self) -> dict[str, Any]:
        model = self._fitted()
        metrics = {name: value for name, value in model.metrics().items() if name not in ("recall", "confusion")}
        report = {name: value for name, value in model.report().items() if name not in ("mistakes", "mistake_rate", "hinge_loss")}
        return metrics | report

    def _predict(self, X: Any, levels: list[float], has_deviations: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        check_is_fitted(self)
        taken = take(self, X, reset=False)
        values, quantiles = np.empty(len(taken)), np.empty((len(taken), len(levels)))
        deviations = np.empty(len(taken) if has_deviations else 0)
        self._model.predict_values(taken.rows, values, levels, quantiles, deviations, threads_for(taken))
        return values, quantiles, deviations

    def _begin(self, rows: TakenRows, horizon: int | None) -> None:
        more = {} if "loss" in self._options else {"loss": "squared"}
        model = self._new_model(horizon, **more)
        if not model.is_of_numbers:
            raise ValueError(f"loss is {self.loss!r}, which is of classes; expected one of numbers, or a classifier")
        rows.tell_columns(model, self.columns)
        self._model = model


def _targets(y: np.ndarray) -> np.ndarray:
    """The targets as the core sees them."""
    if y.dtype.kind not in "fiub" and not all(isinstance(value, (int, float, np.number)) for value in y):
        raise ValueError(f"y has the type {y.dtype}, which is no number; expected numbers, or a classifier for labels")
    return np.ascontiguousarray(y, dtype=np.float64)
