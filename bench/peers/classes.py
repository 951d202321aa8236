"""Many classes: peers on the same rows in the same order, progressively, and trained on the first half of them."""
from __future__ import annotations

import dataclasses
import importlib.util
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file

from . import apart
from .apart import Clock
from .learners import BATCH, FIRST_BATCH
from .streams import SUFFIX, median_distance

LEAST = 2.0**-52  #: a probability below counts as this in the log loss
PREFIX = 2048  #: rows on which settings are compared
PART = 256  #: rows that a learner is given at once


@dataclass(frozen=True)
class ClassData:
    """A data set of dense rows, in the order in which all peers meet them; classes are 0 … K − 1."""

    name: str
    path: str  #: of the file with X and y
    rows: int
    features: int
    classes: int
    median: float  #: distance between two rows
    seed: int

    @property
    def budget(self) -> int:
        """What ALDER stores at most; Nyström features are as many."""
        return min(800, max(200, 100 * self.classes))

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        with np.load(self.path) as file:
            return file["X"], file["y"]


def prepare(name: str, folder: Path, seed: int, target: Path) -> ClassData:
    """Writes a data set into the folder `target`, permuted by `seed`, every feature scaled to [0, 1]."""
    with lzma.open(folder / (name + SUFFIX)) as file:
        X, labels = load_svmlight_file(file, zero_based=False)
    X = X.toarray()
    low, high = X.min(axis=0), X.max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1)
    names, y = np.unique(labels, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(y))
    X, y = X[order].astype(np.float32), y[order].astype(np.int64)
    path = target / f"{name}.npz"
    np.savez(path, X=X, y=y)
    return ClassData(name, str(path), len(y), X.shape[1], len(names), median_distance(X[:500].astype(float)), seed)


class Alder:
    """ALDER without an option. `partial_fit` predicts each row by itself before it learns it, and counts the mistakes."""

    def __init__(self, data: ClassData) -> None:
        import alder

        self.model = alder.AlderClassifier(random_state=data.seed)
        self.classes = np.arange(data.classes)
        self.mistakes = 0

    def learn(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> tuple[np.ndarray, np.ndarray | None]:
        """Row by row, so that every row has a prediction of its own; what `partial_fit` counts must agree with it."""
        wrong, probabilities = np.ones(len(y), bool), np.zeros((len(y), len(self.classes)))
        for i in range(len(y)):
            row, label = X[i:i + 1], y[i:i + 1]
            if hasattr(self.model, "classes_"):
                probabilities[i] = self.model.predict_proba(row)[0]
            before = self.mistakes
            with clock:
                self.model.partial_fit(row, label, classes=self.classes)
            self.mistakes = self.model.stats_["mistakes"]
            wrong[i] = self.mistakes > before
        return wrong, probabilities

    def fit(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> None:
        with clock:
            self.model.partial_fit(X, y, classes=self.classes)

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        return self.model.predict(X), self.model.predict_proba(X)


class AlderInBatches(Alder):
    """The same, a few hundred rows in a call, as one would use it: for its time."""

    def learn(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> tuple[np.ndarray, np.ndarray | None]:
        with clock:
            self.model.partial_fit(X, y, classes=self.classes)
        total, self.mistakes = self.model.stats_["mistakes"] - self.mistakes, self.model.stats_["mistakes"]
        return np.arange(len(y)) < total, None  # how many, not which


class SgdOnNystroem:
    """scikit-learn's SGDClassifier with the log loss on Nyström features, whose rows are the first ones."""

    def __init__(self, data: ClassData, width: float, **settings: Any) -> None:
        from sklearn.kernel_approximation import Nystroem
        from sklearn.linear_model import SGDClassifier

        gamma = 1 / (2 * (width * data.median) ** 2)
        self.map = Nystroem(gamma=gamma, n_components=data.budget, random_state=data.seed)
        self.model = SGDClassifier(loss="log_loss", random_state=data.seed, **settings)
        self.classes = np.arange(data.classes)
        self.batch = 0
        self.data = data

    def learn(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> tuple[np.ndarray, np.ndarray | None]:
        wrong = np.ones(len(y), bool)
        probabilities = np.full((len(y), len(self.classes)), 1 / len(self.classes))  # before anything was learned
        with clock:
            if self.batch == 0:
                self.map.fit(self.data.read()[0][:self.data.budget])
            first = 0
            while first < len(y):
                size = min(2 * self.batch or FIRST_BATCH, BATCH)
                part = slice(first, first + size)
                rows = self.map.transform(X[part])
                if self.batch:
                    probabilities[part] = self.model.predict_proba(rows)
                    wrong[part] = self.model.predict(rows) != y[part]
                self.model.partial_fit(rows, y[part], classes=self.classes)
                self.batch = size
                first += size
        return wrong, probabilities


class Forest:
    """River's adaptive random forest."""

    def __init__(self, data: ClassData) -> None:
        from river import forest

        self.model = forest.ARFClassifier(n_models=10, seed=data.seed)
        self.classes = data.classes

    def learn(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> tuple[np.ndarray, np.ndarray | None]:
        wrong, probabilities = np.ones(len(y), bool), np.zeros((len(y), self.classes))
        rows = [dict(enumerate(row)) for row in X.astype(float).tolist()]
        for i, (row, label) in enumerate(zip(rows, y.tolist())):
            with clock:
                told = self.model.predict_proba_one(row)
                self.model.learn_one(row, label)
            for name, probability in told.items():
                probabilities[i, name] = probability
            wrong[i] = not told or max(told, key=told.__getitem__) != label
        return wrong, probabilities


class Batch:
    """A classifier of scikit-learn's kind that takes all rows at once."""

    def __init__(self, data: ClassData, make: Callable[..., Any], **settings: Any) -> None:
        self.model = make(data, **settings)
        self.classes = data.classes

    def fit(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> None:
        with clock:
            self.model.fit(X, y)

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        if not hasattr(self.model, "predict_proba"):
            return self.model.predict(X), None
        probabilities = np.zeros((len(X), self.classes))
        probabilities[:, self.model.classes_] = self.model.predict_proba(X)
        return self.model.predict(X), probabilities


def _svc(data: ClassData, width: float, C: float) -> Any:
    from sklearn.svm import SVC

    return SVC(C=C, gamma=1 / (2 * (width * data.median) ** 2))


def _lightgbm(data: ClassData, **settings: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=data.seed, n_jobs=1, verbose=-1, **settings)


@dataclass(frozen=True)
class ClassPeer:
    title: str
    package: str
    module: str
    make: Callable[..., Any]  #: of a ClassData and settings
    settings: tuple[dict[str, Any], ...] = ({},)
    fixed: tuple[Any, ...] = ()
    halves: bool = False  #: learns the first half of the rows and is tested on the second
    remark: str = ""


def _grid(widths: tuple[float, ...], *others: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return tuple({"width": width, **other} for width in widths for other in others)


_STEPS = ({"alpha": 1e-4}, {"alpha": 1e-5}, {"alpha": 1e-6},
          *({"learning_rate": "invscaling", "power_t": 0.5, "eta0": step, "alpha": 1e-6} for step in (1.0, 10.0)))

PEERS = {
    "alder": ClassPeer("alder ALDER", "alder", "alder", Alder, remark="no option"),
    "alder-batches": ClassPeer("alder ALDER, 256 rows a call", "alder", "alder", AlderInBatches, remark="no option"),
    "sgd-nystroem": ClassPeer("scikit-learn SGD, log loss, on Nystroem", "scikit-learn", "sklearn", SgdOnNystroem,
                              _grid((0.25, 0.5, 1.0), *_STEPS),
                              remark=f"predicted in batches of {BATCH}, smaller ones at first; as many features as ALDER "
                                     "stores rows"),
    "arf": ClassPeer("River adaptive random forest", "river", "river", Forest, remark="10 trees"),
    "alder-half": ClassPeer("alder ALDER, then frozen", "alder", "alder", Alder, halves=True, remark="one pass, no option"),
    "lightgbm": ClassPeer("LightGBM", "lightgbm", "lightgbm", Batch,
                          ({}, {"num_leaves": 15}, {"n_estimators": 300, "learning_rate": 0.05}), (_lightgbm,), True),
    "svc": ClassPeer("LIBSVM (scikit-learn SVC)", "scikit-learn", "sklearn", Batch,
                     _grid((0.25, 0.5, 1.0), {"C": 1.0}, {"C": 10.0}, {"C": 100.0}), (_svc,), True),
}


@dataclass
class ClassOutcome:
    """What one peer did on one data set."""

    data: str
    peer: str
    settings: dict[str, Any]
    rows: int = 0  #: learned, or of the half that it was tested on
    wrong: list[int] = dataclasses.field(default_factory=list)  #: so far, after every part of the stream
    log_loss: float | None = None
    seconds: float = 0.0
    stopped: bool = False
    failure: str = ""

    @property
    def error(self) -> float:
        return self.wrong[-1] / self.rows

    def error_after(self, rows: int) -> float | None:
        """Known after every part, and at the end."""
        if rows == self.rows:
            return self.error
        return self.wrong[rows // PART - 1] / rows if rows < self.rows and rows % PART == 0 else None


def is_installed(peer: ClassPeer) -> bool:
    return importlib.util.find_spec(peer.module) is not None


def measure(name: str, data: ClassData, limit: float) -> ClassOutcome:
    """Runs a peer; of several settings the one that is best on the first rows: progressively, or in three folds of that
    part of the first half."""
    settings = PEERS[name].settings
    if len(settings) > 1:
        tried = [_run(name, one, data, limit, True) for one in settings]
        settings = (min(tried, key=lambda outcome: (bool(outcome.failure), -outcome.rows,
                                                    outcome.error if outcome.rows else 0.0)).settings,)
    return _run(name, settings[0], data, limit, False)


def _run(name: str, settings: dict[str, Any], data: ClassData, limit: float, is_trial: bool) -> ClassOutcome:
    task = {"peer": name, "settings": settings, "data": dataclasses.asdict(data), "limit": limit, "is_trial": is_trial}
    return ClassOutcome(**{"data": data.name, "peer": name, "settings": settings, **apart.run("peers.classes", task)})


def _perform(task: dict[str, Any]) -> ClassOutcome:
    """What the process of its own does."""
    data, peer = ClassData(**task["data"]), PEERS[task["peer"]]
    X, y = data.read()
    outcome = ClassOutcome(data.name, task["peer"], task["settings"])

    def make() -> Any:
        return peer.make(data, *peer.fixed, **task["settings"])
    if peer.halves:
        apart.end_after(task["limit"])  # nothing can be asked of it before it has finished
        half, everything = len(y) // 2, np.arange(len(y))
        parts = [(everything[:half], everything[half:])]
        if task["is_trial"]:
            few = everything[:min(half, PREFIX)]
            parts = [(few[few % 3 != fold], few[few % 3 == fold]) for fold in range(3)]
        _in_halves(make, X, y, parts, outcome)
    else:
        apart.end_after(3 * task["limit"] + 60)  # what is not learning is not in the limit
        end = PREFIX if task["is_trial"] else len(y)
        _progressively(make(), X[:end], y[:end], task["limit"], outcome)
    return outcome


def _progressively(learner: Any, X: np.ndarray, y: np.ndarray, limit: float, outcome: ClassOutcome) -> None:
    clock, wrong, losses = Clock(), 0, []
    met: set[int] = set()
    for part in apart.parts(apart.every(PART, len(y)), clock, limit):
        missed, probabilities = learner.learn(X[part], y[part], clock)
        wrong += int(np.count_nonzero(missed))
        outcome.wrong.append(wrong)
        outcome.rows = part.stop
        if probabilities is not None:
            losses += _losses(probabilities, y[part], met)
    outcome.stopped = outcome.rows < len(y)
    outcome.seconds = clock.seconds
    outcome.log_loss = float(np.mean(losses)) if losses else None


def _in_halves(make: Callable[[], Any], X: np.ndarray, y: np.ndarray, parts: list[tuple[Any, Any]],
               outcome: ClassOutcome) -> None:
    clock, wrong, losses, has_probabilities = Clock(), 0, [], True
    for train, test in parts:
        learner = make()
        learner.fit(X[train], y[train], clock)
        predicted, probabilities = learner.predict(X[test])
        wrong += int(np.count_nonzero(predicted != y[test]))
        outcome.rows += len(y[test])
        has_probabilities = has_probabilities and probabilities is not None
        if probabilities is not None:
            known = set(y[train].tolist())
            losses += _losses(probabilities, y[test], known, learns=False)
    outcome.wrong = [wrong]
    outcome.seconds = clock.seconds
    outcome.log_loss = float(np.mean(losses)) if has_probabilities else None


def _losses(probabilities: np.ndarray, labels: np.ndarray, met: set[int], learns: bool = True) -> list[float]:
    """Of the rows whose class was met before: no learner can tell a probability of the others."""
    losses = []
    for told, label in zip(probabilities, labels.tolist()):
        if label in met:
            losses.append(-float(np.log(max(told[label], LEAST))))
        elif learns:
            met.add(label)
    return losses


if __name__ == "__main__":
    apart.answer(_perform)
