"""A classifier for River: rows are dicts whose features may come and go. Needs river: pip install alder[river]."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from river import base

from . import _alder
from ._rows import find_kernel, to_json


class Classifier(base.MiniBatchClassifier):
    """Any of alder's learners, one row at a time.

    Parameters
    ----------
    learner
        Its name; ``alder learners`` lists them.
    sigma
        Width of a kernel that has one. None: the learner finds it in its first rows. Scale the features first, with
        ``preprocessing.StandardScaler``, or with ``options={"scale": "online"}``.
    kernel
        "gaussian", "laplacian", "polynomial" or "linear"; learners without a kernel leave it out.
    options
        Any other options of the learner, by name: ``{"budget": 200}``.
    seed
        Of learners that draw.

    Probabilities are the logistic function of the score: they order rows rightly, and are not calibrated.
    """

    def __init__(self, learner: str = _alder.default_learner(), sigma: float | None = None, kernel: str = "gaussian",
                 options: dict[str, Any] | None = None, seed: int = 1) -> None:
        self.learner = learner
        self.sigma = sigma
        self.kernel = kernel
        self.options = options
        self.seed = seed
        self._index: dict[Any, int] = {}  # feature -> column
        self._names: dict[Any, str] = {}  # label -> name of the class in the model
        self._model = self._make_model()

    def _make_model(self) -> _alder.Model:
        learners = {learner["name"]: learner for learner in _alder.learners()}
        known = {name: {option["name"] for option in learner["options"]} for name, learner in learners.items()}
        if self.learner not in known:
            raise ValueError(f"learner is {self.learner!r}; expected one of {', '.join(known)}")
        options = dict(self.options or {})
        usual = _alder.kernels()[0]["name"]
        if "kernel" in known[self.learner] and not (self.kernel == usual and self.sigma is None):
            kernel = find_kernel(self.kernel)
            width = {"sigma": self.sigma} if kernel["radial"] and self.sigma is not None else {}
            options.setdefault("kernel", {"name": self.kernel, **width})
            defaults = {entry["name"]: entry["default"] for entry in kernel["parameters"] if entry["default"] is not None}
            options["kernel"] = {**defaults, **options["kernel"]}
        if "seed" in known[self.learner]:
            options.setdefault("seed", self.seed)
        return _alder.Model(self.learner, to_json(options))

    @property
    def _multiclass(self) -> bool:
        return False

    @property
    def stats_(self) -> dict[str, Any]:
        """What the learner reports of itself."""
        return self._model.report()

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        self._model.learn_one(x, self._index, self._name(y))

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        if not self._names:
            return {False: 0.5, True: 0.5}
        if len(self._names) == 1:
            return dict.fromkeys(self._names, 1.0)
        share = _logistic(self._model.score_one(x, self._index))
        positive = self._model.classes[self._model.positive]
        return {label: share if name == positive else 1.0 - share for label, name in self._names.items()}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        predicted = self._model.predict_one(x, self._index)
        return next((label for label, name in self._names.items() if name == predicted), None)

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        columns = list(X.columns)
        for row, label in zip(X.itertuples(index=False, name=None), y):
            self.learn_one(dict(zip(columns, row)), label)

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        columns = list(X.columns)
        rows = X.itertuples(index=False, name=None)
        return pd.DataFrame([self.predict_proba_one(dict(zip(columns, row))) for row in rows], index=X.index)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        columns = list(X.columns)
        rows = X.itertuples(index=False, name=None)
        return pd.Series([self.predict_one(dict(zip(columns, row))) for row in rows], index=X.index)

    def _name(self, y: Any) -> str:
        """The name of a label's class in the model; a new label gets one."""
        if y not in self._names:
            if len(self._names) == 2:
                raise ValueError(f"y is {y!r}, a third label; expected one of {', '.join(map(repr, self._names))}")
            labels = [y, not y] if isinstance(y, (bool, np.bool_)) else [y]  # of a truth value both are known
            self._model.set_classes([*self._model.classes, *map(str, labels)])
            self._names.update((label, str(label)) for label in labels)
        return self._names[y]


def _logistic(score: float) -> float:
    return 1.0 / (1.0 + math.exp(min(-score, 700.0)))
