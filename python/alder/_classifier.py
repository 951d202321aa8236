"""What all classifiers share. The classes themselves, one for each learner, are in estimators.py."""
from __future__ import annotations

import sys
import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from . import _alder
from ._rows import MATRIX, as_rows, kernel_json, seed_of, to_json, validate_data


class Progress:
    """A bar by tqdm if it is there, else lines of text; neither without `verbose`."""

    def __init__(self, verbose: int, rows: int) -> None:
        self._rows = rows
        self._bar: Any = None
        self._active = bool(verbose)
        if not self._active:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=rows, unit="rows")

    @property
    def callback(self) -> Any:
        return self._tell if self._active else None

    def _tell(self, done: int) -> None:
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        else:
            print(f"\r{done} of {self._rows} rows", end="", file=sys.stderr)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if self._active and kind is None:
            self._tell(self._rows)
        if self._bar is not None:
            self._bar.close()
        elif self._active:
            print(file=sys.stderr)


class StreamWarning(UserWarning):
    """The order of the rows makes what is measured on the way misleading."""


class KernelClassifier(ClassifierMixin, BaseEstimator):
    """A classifier for two classes that learns its rows one after the other, in one pass.

    Not for direct use: every learner has a class of its own, which says what its parameters are.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, ascending; a positive decision is for the second.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the rows came with any.
    t_ : int
        How many rows were learned so far.
    stats_ : dict
        What the learner reports: rounds, mistakes (each row being predicted before it is learned), hinge_loss, support,
        switch_round (the round t that ended phase 1 of POMDR), removals, sum_delta (the proxy for the kernel
        alignment), norm, learning_rate, sigma (the width, once the learner has chosen it), race (what AlderClassifier
        chose from), bytes. None where a learner has no such thing.
    support_vectors_ : csr_matrix of shape (n_support_, n_features_in_)
        The rows that are stored: while a width or a scaling is not chosen yet, the first rows, from which it will be; while
        AlderClassifier compares widths, those of the width that leads. They are scaled if the learner scales rows.
    dual_coef_ : ndarray of shape (1, n_support_)
        Their coefficients, if the learner scores by them, which it does not before the width and the scaling are chosen:
        then AttributeError. PomdrClassifier without ``batch`` and Bao2ksClassifier add a
        hint from recent rows to the sum.
    n_support_ : int
        How many there are.
    """

    _learner: ClassVar[str] = ""
    _options: ClassVar[tuple[str, ...]] = ()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelClassifier":
        """Learns all rows once, in a random order unless ``shuffle=False``, forgetting what was learned before.

        ``sample_weight`` has a number from 0 to 1e6 for each row, which multiplies its step: a weight of 2 is about as two
        such rows. A row with the weight 0 is left out. A learner without weights refuses others than 0 and 1.

        Ctrl-C ends it early; what was learned by then is kept. In a process that ignores SIGINT, as those do that a script
        starts in the background, it goes on to the end.

        With ``shuffle=False`` it warns (StreamWarning) of labels that come in long runs, as in rows sorted by class.
        """
        X, y = validate_data(self, X, y, reset=True, **MATRIX)
        self._check_target(y)
        weights, order = _weights(sample_weight, X)
        met = y if order is None else y[order]
        if len(met) == 0:
            raise ValueError("all sample weights are zero; expected some that are not")
        if len(np.unique(met)) != 2:
            raise ValueError("y has only 1 class; expected 2 different labels")
        if self.shuffle:
            shuffled = check_random_state(self.random_state).permutation(len(met)).astype(np.int64, copy=False)
            order = shuffled if order is None else order[shuffled]
        rows = as_rows(X)
        self._begin(np.unique(y), horizon=len(met))
        targets = self._targets(y)
        if not self.shuffle:
            _warn_of_runs(met == self.classes_[1])
        return self._learn(rows, targets, weights, order, batch=getattr(self, "batch", None))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "KernelClassifier":
        """Learns rows once, in their order, going on from what was learned before.

        ``classes`` names both labels; it is needed in the first call if that does not have both. ``sample_weight`` is as in
        ``fit``.
        """
        first = not hasattr(self, "_model")
        X, y = validate_data(self, X, y, reset=first, **MATRIX)
        self._check_target(y)
        weights, order = _weights(sample_weight, X)
        rows = as_rows(X)
        if first:
            classes = np.unique(y if classes is None else classes)
            if len(classes) != 2:
                raise ValueError(f"{len(classes)} classes are known in the first call to partial_fit; expected 2, all of "
                                 "them given as classes=")
            self._begin(classes, horizon=None)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={classes!r} is not the same as in the first call to partial_fit: {self.classes_!r}")
        return self._learn(rows, self._targets(y), weights, order)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each row: positive for the second class, negative for the first. Many rows are shared by all cores."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **MATRIX)
        scores = np.empty(X.shape[0])
        self._model.score(as_rows(X), scores, _threads(X))
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **MATRIX)
        ids = np.empty(X.shape[0], dtype=np.uint32)
        self._model.predict(as_rows(X), ids, _threads(X))
        return self.classes_[np.minimum(ids, 1)]  # before anything was learned there is no id

    @property
    def t_(self) -> int:
        return self.stats_["rounds"]

    @property
    def stats_(self) -> dict[str, Any]:
        return self._fitted().report()

    @property
    def n_support_(self) -> int:
        return self.stats_["support"]

    @property
    def support_vectors_(self) -> scipy.sparse.csr_matrix:
        tensors = self._fitted().tensors()
        part = "first_rows" if _is_collecting(tensors) else "support"
        starts = tensors.get(f"{part}.starts", np.zeros(1, dtype=np.uint64))
        values = tensors.get(f"{part}.values", np.zeros(0))
        features = tensors.get(f"{part}.features", np.zeros(0, dtype=np.uint32))
        rows = scipy.sparse.csr_matrix((values, features.astype(np.int64), starts.astype(np.int64)),
                                       shape=(len(starts) - 1, self.n_features_in_))
        used = tensors.get(f"contender{self._leader()}.elements")  # of all rows in ALDER's race, those of the leader
        return rows if used is None else rows[used.astype(np.int64)]

    def _leader(self) -> int:
        """Which width leads ALDER's race, counted as in the model; 0 if there is no race."""
        stats = self.stats_
        widths = list(dict.fromkeys(runner["sigma"] for runner in stats["race"]))
        return widths.index(stats["sigma"]) if widths else 0

    @property
    def dual_coef_(self) -> np.ndarray:
        tensors = self._fitted().tensors()
        coefficients = tensors.get("coefficients")
        meaning = next(learner["traits"]["coefficients"] for learner in _alder.learners() if learner["name"] == self._learner)
        if _is_collecting(tensors) and meaning != "other":
            raise AttributeError(f"this {type(self).__name__} has no coefficients yet: it predicts by the nearest of its first "
                                 "rows until it has chosen a width or a scaling from them")
        if coefficients is None or meaning == "other":
            raise AttributeError(f"{type(self).__name__} does not score by coefficients of stored rows")
        if meaning == "before_scale":
            coefficients = coefficients * self.stats_["learning_rate"]
        return coefficients.reshape(1, -1)

    def _fitted(self) -> _alder.Model:
        model = getattr(self, "_model", None)
        if model is None:
            raise AttributeError(f"this {type(self).__name__} has not learned anything yet")
        return model

    def _check_target(self, y: np.ndarray) -> None:
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            check_classification_targets(y)
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")

    def _begin(self, classes: np.ndarray, horizon: int | None) -> None:
        options = {name: getattr(self, name) for name in self._options}
        if hasattr(self, "kernel"):
            options["kernel"] = kernel_json(self)
        if "horizon" in options and options["horizon"] is None:
            options["horizon"] = horizon
        if self._draws:
            options["seed"] = seed_of(self.random_state)
        model = _alder.Model(self._learner, to_json(options))
        names = [str(label) for label in classes]
        model.set_classes(names)
        if model.positive != 1:  # text that looks like numbers, which a model sorts as such
            model.set_classes(names, is_ordered=True)
        self.classes_ = classes
        self._model = model

    _draws: ClassVar[bool] = False

    def _learn(self, rows: _alder.Rows, targets: np.ndarray, weights: np.ndarray | None, order: np.ndarray | None,
               batch: str | None = None) -> "KernelClassifier":
        seed = seed_of(self.random_state) if batch is not None else 1
        with Progress(self.verbose, len(targets) if order is None else len(order)) as progress:
            self._model.learn(rows, targets, weights, order, progress.callback, batch, seed)
        return self

    def _targets(self, y: np.ndarray) -> np.ndarray:
        """The ids of the labels: 0 and 1."""
        is_second = y == self.classes_[1]
        unknown = ~(is_second | (y == self.classes_[0]))
        if np.any(unknown):
            raise ValueError(f"y has the label {y[unknown][0]!r}; expected {self.classes_[0]!r} or {self.classes_[1]!r}, "
                             "the classes of the first call")
        return is_second.astype(np.float64)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"binary_only": True}


def _weights(sample_weight: Any, X: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The weights of the rows, and which rows have one that is not 0; None: all."""
    if sample_weight is None:
        return None, None
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight")
    if weights.shape != (X.shape[0],):
        raise ValueError(f"sample_weight has the shape {weights.shape}; expected ({X.shape[0]},), a number for each row")
    return weights, None if np.all(weights) else np.flatnonzero(weights).astype(np.int64, copy=False)


def _is_collecting(tensors: dict[str, np.ndarray]) -> bool:
    """Whether a learner with these tensors still keeps its first rows, to choose a width or a scaling from them."""
    return "first_rows.starts" in tensors


def _threads(X: Any) -> int:
    """As many as there are cores, 0, if that pays; scores do not depend on it."""
    return 0 if X.shape[0] > 4000 else 1


def _warn_of_runs(labels: np.ndarray) -> None:
    found = _alder.check_labels(labels.astype(np.float64))
    if found is not None:
        warnings.warn(f"{found}. Mistakes counted on the way flatter the learner, and the model may fit the last rows only; "
                      "shuffle=True learns in random order", StreamWarning, stacklevel=3)
