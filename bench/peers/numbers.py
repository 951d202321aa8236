"""Numbers: regressors on the same rows in the same order, progressively, and trained on the first half of them.

Of several settings the best in hindsight is taken, by the very errors that are told of it.
"""
from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import lzma
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import apart, classes
from .apart import Clock
from .drift import PART, WINDOW, predict_and_learn
from .streams import median_distance

SUFFIX = ".csv.xz"
#: Sets whose rows have an order. All others are permuted.
IN_ORDER = ("appliances", "bike", "elecprice", "flights", "friedman_drift", "mackey", "pm25")
UNCOUNTED = 32  #: first rows, whose errors are not counted
WIDTHS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  #: of the Gaussian kernel, as parts of the median distance
STEPS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


@dataclass(frozen=True)
class NumberData:
    """Rows in the order in which all peers meet them."""

    name: str
    path: str  #: of the file with X and y
    rows: int
    features: int
    is_permuted: bool
    median: float  #: distance between two rows
    seed: int

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        with np.load(self.path) as file:
            return file["X"], file["y"]


def prepare(name: str, folder: Path, rows: int, seed: int, is_permuted: bool, target: Path) -> NumberData:
    """Writes the first rows of a set, or with 0 all, into the folder `target`; if they are permuted, then before that."""
    with lzma.open(folder / (name + SUFFIX), "rt") as file:
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    if is_permuted:
        table = table[np.random.default_rng(seed).permutation(len(table))]
    table = table[:rows or None]
    if len(table) < 4 * UNCOUNTED:
        raise ValueError(f"{name}{SUFFIX}: {len(table)} rows; expected {4 * UNCOUNTED} or more")
    path = target / f"{name}.npz"
    X, y = table[:, 1:], table[:, 0]
    np.savez(path, X=X, y=y)
    return NumberData(name, str(path), len(y), X.shape[1], is_permuted, median_distance(X[:500]), seed)


@dataclass
class NumberOutcome:
    """What one peer did on one data set."""

    data: str
    peer: str
    settings: dict[str, Any] = field(default_factory=dict)
    rows: int = 0  #: learned; of a peer that learns the first half, all
    errors: dict[int, tuple[float, float]] = field(default_factory=dict)  #: nRMSE and nMAE, by the number of rows
    seconds: float = 0.0  #: for predicting and learning
    stopped: bool = False
    failure: str = ""

    def __post_init__(self) -> None:  # JSON has strings for keys
        self.errors = {int(rows): tuple(pair) for rows, pair in self.errors.items()}

    @property
    def error(self) -> tuple[float, float]:
        return self.errors.get(self.rows, (math.inf, math.inf))

    @property
    def microseconds(self) -> float:
        return 1e6 * self.seconds / self.rows


class Alder:
    """One of alder's regressors, which predicts each row by itself before it learns it, and tells what that is worth."""

    def __init__(self, data: NumberData, regressor: str, width: float | None = None, **settings: Any) -> None:
        import alder

        if width is not None:
            settings["sigma"] = width * data.median
        self.model = getattr(alder, regressor)(random_state=data.seed, **settings)
        self.totals = np.zeros(2)

    def learn(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> np.ndarray:
        """The squares of the errors and their sizes, summed."""
        with clock:
            self.model.partial_fit(X, y)
        told, before = self.model.stats_, self.totals
        self.totals = (self.model.t_ - 1) * np.array([told["rmse"]**2, told["mae"]])  # the first row has no prediction
        return self.totals - before

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.model.partial_fit(X, y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(X)


class LastTarget:
    """Predicts the target before: a yardstick for rows in their order, which looks at no features."""

    def __init__(self, _: NumberData) -> None:
        self.last = 0.0

    def learn(self, _: np.ndarray, y: np.ndarray, clock: Clock) -> np.ndarray:
        with clock:
            errors = np.diff(y, prepend=self.last)
        self.last = y[-1]
        return _sums(errors)


class River:
    """A regressor of River."""

    def __init__(self, data: NumberData, make: Callable[..., Any], **settings: Any) -> None:
        self.model = make(data.seed, **settings)

    def learn(self, X: np.ndarray, y: np.ndarray, clock: Clock) -> np.ndarray:
        errors = predict_and_learn(self.model, X, y, clock) - y
        return _sums(errors)


def _forest(seed: int) -> Any:
    from river import forest

    return forest.ARFRegressor(n_models=10, seed=seed)


def _tree(seed: int) -> Any:
    from river import tree

    return tree.HoeffdingAdaptiveTreeRegressor(seed=seed)


def _linear(_: int, rate: float) -> Any:
    from river import linear_model, optim, preprocessing

    model = linear_model.LinearRegression(optim.SGD(rate))
    return preprocessing.TargetStandardScaler(preprocessing.StandardScaler() | model)


def _neighbours(_: int) -> Any:
    from river import neighbors, preprocessing

    return preprocessing.StandardScaler() | neighbors.KNNRegressor(engine=neighbors.LazySearch(window_size=WINDOW))


def _lightgbm(data: NumberData, **settings: Any) -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(random_state=data.seed, n_jobs=1, verbose=-1, **settings)


@dataclass(frozen=True)
class NumberPeer:
    title: str
    package: str
    make: Callable[..., Any]  #: of a NumberData, `fixed` and settings
    fixed: tuple[Any, ...] = ()
    settings: tuple[dict[str, Any], ...] = ({},)
    halves: bool = False  #: learns the first half of the rows and is tested on the second
    remark: str = ""


_GRID = tuple({"width": width, "step": step} for width, step in itertools.product(WIDTHS, STEPS))

PEERS = {
    "alder": NumberPeer("ALDER", "alder", Alder, ("AlderRegressor",), remark="no option"),
    "alder-recent": NumberPeer("ALDER, recent labels", "alder", Alder, ("AlderRegressor",), ({"recent_labels": True},),
                               remark="`recent_labels=True`: the last targets are features too"),
    "fogd": NumberPeer("FOGD", "alder", Alder, ("FogdRegressor",), _GRID),
    "nogd": NumberPeer("NOGD", "alder", Alder, ("NogdRegressor",), _GRID),
    "ogd": NumberPeer("OGD", "alder", Alder, ("OgdRegressor",), _GRID, remark="stores all rows"),
    "arf": NumberPeer("River adaptive random forest", "river", River, (_forest,), remark="10 trees"),
    "hat": NumberPeer("River Hoeffding adaptive tree", "river", River, (_tree,), remark="defaults"),
    "linear": NumberPeer("River linear regression", "river", River, (_linear,),
                         tuple({"rate": rate} for rate in (0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)),
                         remark="features and target scaled online"),
    "knn": NumberPeer("River nearest neighbours", "river", River, (_neighbours,),
                      remark=f"5 of the last {WINDOW:,} rows, scaled online"),
    "last": NumberPeer("the last target", "numpy", LastTarget),
    "alder-half": NumberPeer("ALDER, then frozen", "alder", Alder, ("AlderRegressor",), halves=True,
                             remark="one pass, no option"),
    "lightgbm-half": NumberPeer("LightGBM", "lightgbm", _lightgbm, (), classes.PEERS["lightgbm"].settings, halves=True),
}


def is_installed(peer: NumberPeer) -> bool:
    return importlib.util.find_spec(peer.package) is not None


def measure(name: str, data: NumberData, limit: float) -> NumberOutcome:
    task = {"peer": name, "data": dataclasses.asdict(data), "limit": limit}
    return NumberOutcome(**{"data": data.name, "peer": name, **apart.run("peers.numbers", task)})


def _perform(task: dict[str, Any]) -> NumberOutcome:
    """What the process of its own does: the best of all settings, and of those that are stopped the one that came farthest."""
    data, peer = NumberData(**task["data"]), PEERS[task["peer"]]
    X, y = data.read()
    outcomes = []
    for settings in peer.settings:
        outcomes.append(NumberOutcome(data.name, task["peer"], settings))
        apart.end_after(3 * task["limit"] + 60)  # what is not learning is not in the limit
        learner = peer.make(data, *peer.fixed, **settings)
        (_in_halves if peer.halves else _progressively)(learner, X, y, task["limit"], outcomes[-1])
    return min(outcomes, key=lambda outcome: (-outcome.rows, math.isnan(outcome.error[0]), outcome.error))


def _progressively(learner: Any, X: np.ndarray, y: np.ndarray, limit: float, outcome: NumberOutcome) -> None:
    clock, totals = Clock(time.thread_time), np.zeros(2)
    for part in apart.parts(apart.every(PART, len(y), UNCOUNTED), clock, limit):
        sums = learner.learn(X[part], y[part], clock)
        outcome.rows = part.stop
        if part.stop > UNCOUNTED:
            totals += sums
            outcome.errors[part.stop] = _normalised(totals, y[UNCOUNTED:part.stop])
    outcome.stopped = outcome.rows < len(y)
    outcome.seconds = clock.seconds


def _in_halves(learner: Any, X: np.ndarray, y: np.ndarray, limit: float, outcome: NumberOutcome) -> None:
    apart.end_after(limit)  # nothing can be asked of it before it has finished
    clock, half = Clock(time.thread_time), len(y) // 2
    with clock:
        learner.fit(X[:half], y[:half])
        errors = learner.predict(X[half:]) - y[half:]
    outcome.rows, outcome.seconds = len(y), clock.seconds
    outcome.errors[len(y)] = _normalised(_sums(errors), y[half:])


def _sums(errors: np.ndarray) -> np.ndarray:
    """Of their squares and of their sizes."""
    return np.array([np.sum(errors**2), np.sum(np.abs(errors))])


def _normalised(totals: np.ndarray, targets: np.ndarray) -> tuple[float, float]:
    """The root of the mean square and the mean size of errors, as parts of the standard deviation of these targets."""
    squares, sizes = totals / len(targets)
    return float(np.sqrt(squares) / np.std(targets)), float(sizes / np.std(targets))


if __name__ == "__main__":
    apart.answer(_perform)
