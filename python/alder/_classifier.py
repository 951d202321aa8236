"""What all classifiers share. The classes themselves, one for each learner, are in estimators.py."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from . import _alder
from ._classes import ClassNames, class_weights
from ._estimator import KernelEstimator, is_collecting, threads_for, weights_of
from ._explain import explained
from ._rows import TakenRows, take, take_labelled


class StreamWarning(UserWarning):
    """The order of the rows makes what is measured on the way misleading."""


def _learns_probabilities(classifier: "KernelClassifier") -> bool:
    model = getattr(classifier, "_model", None)
    if not (classifier.probabilities if model is None else model.has_probabilities):
        raise AttributeError(f"this {type(classifier).__name__} learns no probabilities; expected one with probabilities=True")
    return True


class KernelClassifier(ClassifierMixin, KernelEstimator):
    """A classifier that learns its rows one after the other, in one pass.

    Not for direct use: every learner has a class of its own, which says what its parameters are.

    Rows come as a matrix, of NumPy or sparse (CSR), or as a table: a DataFrame of pandas or polars, a Table or RecordBatch of
    pyarrow, a list of dicts. A table may have columns of numbers, truth values, categories, dates and times, and text, and
    missing values. Types say what columns are; columns of text are looked at, in the first 512 rows. Values become features as
    they are met, as in the program ``alder``. Later tables are matched by the names of their columns, in any order; those that
    are not known are left out. A list of dicts may leave out keys: these values are missing.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, ascending. Labels that are new in a call of ``partial_fit`` are added in their places.
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
    decision_threshold_ : float or None
        What ``set_decision_threshold`` set.
    stats_ : dict
        What the learner reports: rounds, mistakes (each row being predicted before it is learned), hinge_loss, support,
        switch_round (the round t that ended phase 1 of POMDR), removals, sum_delta (the proxy for the kernel
        alignment), norm, learning_rate, sigma (the width, once the learner has chosen it), race (what AlderClassifier
        chose from), bytes. None where a learner has no such thing.
        And what the predictions made before learning were worth, as far as it is defined: error, balanced_error, kappa,
        f1 and auc (two classes), macro_f1, log_loss, brier, calibration_error; recall, a dict by label; confusion, tuples
        (label, predicted label, rows) with the most frequent first.
    support_vectors_ : csr_matrix of shape (n_support_, n_features_in_), of a table (n_support_, number of encoded features)
        The rows that are stored: while a width or a scaling is not chosen yet, the first rows, from which it will be; while
        AlderClassifier compares widths, those of the width that leads. They are scaled if the learner scales rows.
    dual_coef_ : ndarray of shape (1, n_support_)
        Their coefficients, if the learner scores two classes by them, which it does not before the width and the scaling
        are chosen: then AttributeError. PomdrClassifier without ``batch`` and Bao2ksClassifier add a
        hint from recent rows to the sum.
    n_support_ : int
        How many there are.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelClassifier":
        """Learns all rows once, in a random order unless ``shuffle=False``, forgetting what was learned before.

        ``sample_weight`` has a number from 0 to 1e6 for each row, which multiplies its step: a weight of 2 is about as two
        such rows. A row with the weight 0 is left out. A learner without weights refuses others than 0 and 1.

        Ctrl-C ends it early; what was learned by then is kept. In a process that ignores SIGINT, as those do that a script
        starts in the background, it goes on to the end.

        With ``shuffle=False`` it warns (StreamWarning) of labels that come in long runs, as in rows sorted by class.
        """
        rows, y = take_labelled(self, X, y, reset=True)
        check_target(y)
        weights, order = weights_of(sample_weight, len(rows))
        met = y if order is None else y[order]
        if len(met) == 0:
            raise ValueError("all sample weights are zero; expected some that are not")
        classes = np.unique(y)
        if len(classes if order is None else np.unique(met)) < 2:
            raise ValueError("y has only 1 class; expected at least 2 different labels")
        if self.shuffle:
            shuffled = check_random_state(self.random_state).permutation(len(met)).astype(np.int64, copy=False)
            order = shuffled if order is None else order[shuffled]
        self._begin(rows, [classes], horizon=len(met))
        targets = self._targets(y)
        if not self.shuffle:
            _warn_of_runs(targets if order is None else targets[order])
        return self._learn(rows, targets, weights, order, batch=getattr(self, "batch", None))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "KernelClassifier":
        """Learns rows once, in their order, going on from what was learned before.

        Labels may be new in any call. ``classes`` names some that will come, so that they are in ``classes_`` already; it
        is never needed. ``sample_weight`` is as in ``fit``.
        """
        first = not hasattr(self, "_model")
        rows, y = take_labelled(self, X, y, reset=first)
        with warnings.catch_warnings():  # few rows of many classes are nothing unusual in a stream
            warnings.filterwarnings("ignore", message="The number of unique classes is greater", category=UserWarning)
            check_target(y)
        weights, order = weights_of(sample_weight, len(rows))
        if first:
            self._begin(rows, [np.unique(labels) for labels in (classes, y) if labels is not None], horizon=None)
        else:
            self._meet(np.unique(classes) if classes is not None else self.classes_)
            self._meet(np.unique(y if order is None else y[order]))
        return self._learn(rows, self._targets(y), weights, order)

    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the rows. Many rows are shared by all cores.

        Of two classes one number for each row, positive for the second class and negative for the first. Of more, a column
        for each of ``classes_``; one that was not learned yet is below all others.
        """
        check_is_fitted(self)
        taken = take(self, X, reset=False)
        if len(self.classes_) > 2:
            scores = np.empty((len(taken), len(self._model.classes)))
            self._model.scores(taken.rows, scores, threads_for(taken))
            return self._names.by_label(scores, self._model)
        scores = np.empty(len(taken))
        self._model.score(taken.rows, scores, threads_for(taken))
        return scores if self._is_upright() else 0.0 - scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        check_is_fitted(self)
        taken = take(self, X, reset=False)
        ids = np.empty(len(taken), dtype=np.uint32)
        self._model.predict(taken.rows, ids, threads_for(taken))
        return self._names.labels_of(ids, self._model)

    @available_if(_learns_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes, a column for each of ``classes_``.

        They are fitted to the scores that rows had before they were learned, and so calibrated: of the rows to which a class
        is given with 0.8, about 80 % have it, if rows to come are as those before. ``predict`` gives the class with the
        largest, unless a threshold is set. A class that was not learned yet has 0.
        """
        check_is_fitted(self)
        taken = take(self, X, reset=False)
        if len(self.classes_) == 1:
            return np.ones((len(taken), 1))
        shares = np.empty((len(taken), len(self._model.classes)))
        self._model.predict_proba(taken.rows, shares, threads_for(taken))
        return self._names.by_label(shares, self._model)

    def explain(self, X: Any, top: int = 5) -> list[dict[str, Any]]:
        """Why each row is predicted as it is: which features and which stored rows moved its score most.

        A dict for each row. ``score`` is, of two classes, that of ``decision_function``; of more, the score of the first class
        less that of its best rival. It speaks for the class ``towards`` if it is positive, else for ``against``.
        ``predicted`` is the class and ``probability`` its probability, if those are learned.

        ``features`` lists the ``top`` features with the largest effects (0: all): ``feature`` (the column), ``name`` if X had
        names when it was learned, ``value``, ``gradient`` of the score by the value, and ``effect``, the score less that of
        the row with 0 in the place of the value. ``stored_rows`` lists those that add most to the score: ``row`` (the place
        among the ``stored_count`` stored rows), ``contribution``, and ``similarity``, the kernel value. All contributions and
        ``rest`` add up to the score. docs/explain.md says more.
        """
        return explained(self._explanations(X, top), self._names.labels_by_id(self._model), self._is_upright())

    @available_if(_learns_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of ``predict_proba``; -inf for a class that was not learned yet."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def set_decision_threshold(self, probability: float | None) -> "KernelClassifier":
        """Of two classes the second is predicted from now on where its probability is at least this; None: as it was.

        Can be changed at any time; files and copies keep it. It has no effect once there is a third class.
        """
        model = self._fitted()
        if probability is not None and not self._is_upright():
            probability = 1.0 - probability
        model.threshold = probability
        return self

    @property
    def decision_threshold_(self) -> float | None:
        threshold = self._fitted().threshold
        return threshold if threshold is None or self._is_upright() else 1.0 - threshold

    @property
    def stats_(self) -> dict[str, Any]:
        model = self._fitted()
        return {**self._names.name_metrics(model.metrics(), model), **model.report()}

    @property
    def dual_coef_(self) -> np.ndarray:
        if self._fitted().outputs > 1:
            raise AttributeError(f"this {type(self).__name__} has a score for each of {len(self.classes_)} classes; expected two "
                                 "classes, whose score one row of coefficients gives")
        tensors = self._fitted().tensors()
        coefficients = tensors.get("coefficients")
        meaning = next(learner["traits"]["coefficients"] for learner in _alder.learners() if learner["name"] == self._learner)
        if is_collecting(tensors) and meaning != "other":
            raise AttributeError(f"this {type(self).__name__} has no coefficients yet: it predicts by the nearest of its first "
                                 "rows until it has chosen a width or a scaling from them")
        if coefficients is None or meaning == "other":
            raise AttributeError(f"{type(self).__name__} does not score by coefficients of stored rows")
        if meaning == "before_scale":
            coefficients = coefficients * self._fitted().report()["learning_rate"]
        return coefficients.reshape(1, -1)

    def _begin(self, rows: TakenRows | None, classes: list[np.ndarray], horizon: int | None) -> None:
        model = self._new_model(horizon)
        model.learn_probabilities(bool(self.probabilities))
        model.set_class_weights(*class_weights(self.class_weight))
        if rows is not None:
            rows.tell_columns(model, self.columns)
        names = ClassNames(self.class_weight)
        for labels in classes:
            names.add(labels, model)
        self._names, self._model, self.classes_ = names, model, names.labels

    def _meet(self, labels: np.ndarray) -> None:
        """Adds labels that are new."""
        self._names.add(labels, self._model)
        self.classes_ = self._names.labels

    def _is_upright(self) -> bool:
        """Whether positive scores of the model are for the second of two classes; text that looks like numbers is sorted as
        numbers there, and as text here."""
        return len(self.classes_) != 2 or self._names.ids(self._model)[1] == self._model.positive

    def _targets(self, y: np.ndarray) -> np.ndarray:
        """The ids of the labels. Those of rows that are left out need not be known, and have any."""
        ids = self._names.ids(self._model).astype(np.float64)
        targets = np.empty(len(y))
        for part in gen_batches(len(y), 1 << 16):  # places take as much memory as targets
            targets[part] = ids[np.minimum(np.searchsorted(self.classes_, y[part]), len(ids) - 1)]
        return targets

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def check_target(y: np.ndarray) -> None:
    """Throws ValueError unless there is one label for each row."""
    kind = type_of_target(y, input_name="y")
    check_classification_targets(y)
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y is {kind}; expected one label for each row")


def _warn_of_runs(targets: np.ndarray) -> None:
    found = _alder.check_labels(targets)
    if found is not None:
        warnings.warn(f"{found}. Mistakes counted on the way flatter the learner, and the model may fit the last rows only; "
                      "shuffle=True learns in random order", StreamWarning, stacklevel=3)
