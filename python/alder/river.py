"""A classifier and a regressor for River: rows are dicts whose features may come and go. Needs river: pip install alder[river]."""
from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from river import base

from . import _alder
from ._classes import class_weights
from ._rows import find_kernel, to_json


def _new_model(learner: str, sigma: float | None, kernel: str, options: dict[str, Any] | None, seed: int,
               task: str) -> _alder.Model:
    """A model with this learner, for "classes" or "numbers"."""
    learners = {one["name"]: one for one in _alder.learners() if task == "classes" or one["traits"]["learns_numbers"]}
    known = {name: {option["name"] for option in one["options"]} for name, one in learners.items()}
    if learner not in known:
        raise ValueError(f"learner is {learner!r}; expected one of {', '.join(known)}")
    options = dict(options or {})
    usual = _alder.kernels()[0]["name"]
    if "kernel" in known[learner] and not (kernel == usual and sigma is None):
        found = find_kernel(kernel)
        width = {"sigma": sigma} if found["radial"] and sigma is not None else {}
        options.setdefault("kernel", {"name": kernel, **width})
        defaults = {entry["name"]: entry["default"] for entry in found["parameters"] if entry["default"] is not None}
        options["kernel"] = {**defaults, **options["kernel"]}
    if "seed" in known[learner]:
        options.setdefault("seed", seed)
    if task == "numbers":
        options.setdefault("loss", "squared")
    return _alder.Model(learner, to_json(options))


class Classifier(base.MiniBatchClassifier):
    """Any of alder's learners, one row at a time, for any number of classes, which may come at any time.

    Probabilities are calibrated as the stream goes, on the scores that rows had before they were learned: of the rows to which
    a class is given with 0.8, about 80 % have it, if rows to come are as those before.

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
    class_weight
        How much the rows of a class count: factors by label, 1 for those that are left out; "balanced": all classes alike, by
        how often they were met so far; None: all rows alike.
    probabilities
        Whether they are learned; without them ``predict_proba_one`` raises NotImplementedError.
    """

    def __init__(self, learner: str = _alder.default_learner(), sigma: float | None = None, kernel: str = "gaussian",
                 options: dict[str, Any] | None = None, seed: int = 1, class_weight: dict[Any, float] | str | None = None,
                 probabilities: bool = True) -> None:
        self.learner = learner
        self.sigma = sigma
        self.kernel = kernel
        self.options = options
        self.seed = seed
        self.class_weight = class_weight
        self.probabilities = probabilities
        self._index: dict[Any, int] = {}  # feature -> column
        self._names: dict[Any, str] = {}  # label -> name of the class in the model
        self._labels: dict[str, Any] = {}  # and back
        self._model = self._make_model()

    def _make_model(self) -> _alder.Model:
        model = _new_model(self.learner, self.sigma, self.kernel, self.options, self.seed, "classes")
        model.learn_probabilities(bool(self.probabilities))
        model.set_class_weights(*class_weights(self.class_weight))
        return model

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def stats_(self) -> dict[str, Any]:
        """What the learner reports of itself, and what its predictions were worth: mistakes, log_loss, brier, …"""
        return {**self._model.metrics(), **self._model.report()}

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learns a row, which counts as ``w`` rows do; 0 changes nothing."""
        if w != 0.0:
            self._model.learn_one(x, self._index, self._name(y), w)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probabilities of the labels met so far; {} before there is any."""
        if not self._model.has_probabilities:
            raise NotImplementedError("this classifier learns no probabilities; expected one with probabilities=True")
        if not self._names:
            return {}
        if len(self._names) == 1:
            return dict.fromkeys(self._names, 1.0)
        return {self._labels[name]: share for name, share in self._model.predict_proba_one(x, self._index).items()}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The label with the largest probability; None before anything was learned."""
        return self._labels.get(self._model.predict_one(x, self._index))

    def learn_many(self, X: pd.DataFrame, y: pd.Series, w: float | pd.Series = 1.0) -> None:
        """Learns rows one after the other; ``w`` is one weight for all or one for each."""
        columns = list(X.columns)
        weights = [float(w)] * len(X) if np.isscalar(w) else list(w)
        if not len(X) == len(y) == len(weights):
            raise ValueError(f"there are {len(X)} rows, {len(y)} labels and {len(weights)} weights; expected as many of each")
        for row, label, weight in zip(X.itertuples(index=False, name=None), y, weights):
            self.learn_one(dict(zip(columns, row)), label, weight)

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
            labels = [y, not y] if isinstance(y, (bool, np.bool_)) else [y]  # of a truth value both are known
            keys = {key: key for key in self.class_weight} if isinstance(self.class_weight, dict) else {}
            names = {label: str(keys.get(label, label)) for label in labels}
            self._model.set_classes([*self._model.classes, *names.values()])
            self._names.update(names)
            self._labels.update((name, label) for label, name in names.items())
        return self._names[y]


class Regressor(base.Regressor):
    """Any of alder's learners that has a loss for numbers, one row at a time.

    Parameters
    ----------
    learner
        Its name; ``alder learners`` lists them.
    sigma
        Width of a kernel that has one. None: the learner finds it in its first rows.
    kernel
        "gaussian", "laplacian", "polynomial" or "linear"; learners without a kernel leave it out.
    options
        Any other options of the learner, by name: ``{"loss": "absolute"}``.
    seed
        Of learners that draw.
    """

    def __init__(self, learner: str = _alder.default_learner(), sigma: float | None = None, kernel: str = "gaussian",
                 options: dict[str, Any] | None = None, seed: int = 1) -> None:
        self.learner = learner
        self.sigma = sigma
        self.kernel = kernel
        self.options = options
        self.seed = seed
        self._index: dict[Any, int] = {}  # feature -> column
        self._model = _new_model(learner, sigma, kernel, options, seed, "numbers")
        if not self._model.is_of_numbers:
            raise ValueError(f"the loss {(options or {}).get('loss')!r} is of classes; expected one of numbers")

    @property
    def stats_(self) -> dict[str, Any]:
        """What the learner reports of itself, and what its predictions were worth: rmse, mae, coverage_90, …"""
        metrics = {name: value for name, value in self._model.metrics().items() if name not in ("recall", "confusion")}
        return {**metrics, **self._model.report()}

    def learn_one(self, x: dict[Any, Any], y: float, w: float = 1.0) -> None:
        """Learns a row, which counts as ``w`` rows do; 0 changes nothing."""
        if w != 0.0:
            self._model.learn_number(x, self._index, float(y), w)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """What is expected of the row; 0.0 before anything was learned."""
        value = self._model.predict_value(x, self._index, [])[0]
        return 0.0 if np.isnan(value) else value

    def predict_interval_one(self, x: dict[Any, Any], share: float = 0.9) -> tuple[float, float]:
        """Two numbers between which about that share of the targets lies; NaN before there is any error to go by."""
        if not 0.0 < share < 1.0:
            raise ValueError(f"share is {share!r}; expected a number between 0 and 1, such as 0.9")
        low, high = self._model.predict_value(x, self._index, [0.5 - share / 2.0, 0.5 + share / 2.0])[1]
        return low, high
