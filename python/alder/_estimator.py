"""What classifiers and regressors share: a model, its stored rows, its columns."""
from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from . import _alder
from ._explain import name_features
from ._progress import Progress
from ._rows import TakenRows, kernel_json, seed_of, take, to_json


class KernelEstimator(BaseEstimator):
    """An estimator that learns its rows one after the other, in one pass. Not for direct use."""

    _learner: ClassVar[str] = ""
    _options: ClassVar[tuple[str, ...]] = ()
    _draws: ClassVar[bool] = False

    @property
    def t_(self) -> int:
        return self._fitted().report()["rounds"]

    @property
    def n_support_(self) -> int:
        return self._fitted().report()["support"]

    @property
    def support_vectors_(self) -> scipy.sparse.csr_matrix:
        tensors, report = self._fitted().tensors(), self._fitted().report()
        part = "first_rows" if is_collecting(tensors) else "support"
        used = None
        if "geometry" in report:  # ALDER stores rows as its leading candidate sees them, among those of others
            part = f"geometry{report['geometry']}.support"
            used = tensors[f"candidate{report['candidate']}.elements"]
        elif "recent.starts" in tensors and part == "support":
            part = "recent"
        starts = tensors.get(f"{part}.starts", np.zeros(1, dtype=np.uint64))
        values = tensors.get(f"{part}.values", np.zeros(0))
        features = tensors.get(f"{part}.features", np.zeros(0, dtype=np.uint32))
        rows = scipy.sparse.csr_matrix((values, features.astype(np.int64), starts.astype(np.int64)),
                                       shape=(len(starts) - 1, self._encoded_features()))
        return rows if used is None else rows[used.astype(np.int64)]

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much each feature matters: the mean change of a score when a row gets the feature's value from another row.

        Shares that add up to 1, from some rows that the learner keeps; those of a table are in the order of
        ``encoded_feature_names_``. Learners that cannot tell have no such attribute.
        """
        found = self._fitted().importances()
        if not found:
            raise AttributeError(f"this {type(self).__name__} cannot tell which features matter")
        shares = np.zeros(self._encoded_features())
        for feature, share in found:
            shares[feature] = share
        return shares

    @property
    def encoded_feature_names_(self) -> list[str]:
        """What the features are called that the columns of a table became: "age", "job=clerk", "age missing", "date year".

        Those of a matrix are the names of its columns, or "feature 1", "feature 2", …
        """
        model = self._fitted()
        if model.columns is not None:
            return model.feature_names
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return [f"feature {place + 1}" for place in range(self.n_features_in_)]

    @property
    def columns_(self) -> dict[str, str] | None:
        """What the columns of a table are, by name: "number", "category", "boolean", "time", "text" or "ignore"; None: rows came
        as a matrix."""
        columns = self._fitted().columns
        if columns is None:
            return None
        return {name or f"column {place + 1}": kind for place, (name, kind, _) in enumerate(columns)}

    def _encoded_features(self) -> int:
        model = self._fitted()
        return self.n_features_in_ if model.columns is None else model.features

    def _explanations(self, X: Any, top: int) -> list[dict[str, Any]]:
        """What the model says of the rows, with the names of their columns."""
        check_is_fitted(self)
        rows = take(self, X, reset=False).rows
        has_names = hasattr(self, "feature_names_in_") or self._model.columns is not None
        return name_features(self._model.explain(rows, top), self.encoded_feature_names_ if has_names else None)

    def _fitted(self) -> _alder.Model:
        model = getattr(self, "_model", None)
        if model is None:
            raise AttributeError(f"this {type(self).__name__} has not learned anything yet")
        return model

    def _new_model(self, horizon: int | None, **more: Any) -> _alder.Model:
        """A model with the learner that the parameters describe; ``more`` are options that are none of them."""
        options = {name: getattr(self, name) for name in self._options} | more
        if hasattr(self, "kernel"):
            options["kernel"] = kernel_json(self)
        if "horizon" in options and options["horizon"] is None:
            options["horizon"] = horizon
        if self._draws:
            options["seed"] = seed_of(self.random_state)
        return _alder.Model(self._learner, to_json(options))

    def _learn(self, rows: TakenRows, targets: np.ndarray, weights: np.ndarray | None, order: np.ndarray | None,
               batch: str | None = None) -> Any:
        seed = seed_of(self.random_state) if batch is not None else 1
        with Progress(self.verbose, len(targets) if order is None else len(order)) as progress:
            self._model.learn(rows.rows, targets, weights, order, progress.callback, batch, seed)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def weights_of(sample_weight: Any, rows: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The weights of the rows, and which rows have one that is not 0; None: all."""
    if sample_weight is None:
        return None, None
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight")
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight has the shape {weights.shape}; expected ({rows},), a number for each row")
    return weights, None if np.all(weights) else np.flatnonzero(weights).astype(np.int64, copy=False)


def is_collecting(tensors: dict[str, np.ndarray]) -> bool:
    """Whether a learner with these tensors still keeps its first rows, to choose a width or a scaling from them."""
    return "first_rows.starts" in tensors


def threads_for(rows: TakenRows) -> int:
    """As many as there are cores, 0, if that pays; scores do not depend on it."""
    return 0 if len(rows) > 4000 else 1
