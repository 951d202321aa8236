"""Streams that change: alder's program beside learners made for such streams, on the same rows in the order of the file.

Each learner runs once, in a process of its own, on one core. Every row is predicted before it is learned.
"""
from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import json
import lzma
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file

from . import apart
from .apart import ONE_THREAD, Clock
from .streams import SUFFIX

PART = 250  #: rows after which it is seen whether the time is up
WINDOW = 1000  #: rows that the nearest neighbours are looked for in
MOA_VERSION = "2024.07.0"
MOA_TASK = "EvaluatePrequential -l {} -s (ArffFileStream -f {}) -e BasicClassificationPerformanceEvaluator -f {} -q {}"
GET_MOA = (f"mvn dependency:copy -Dartifact=nz.ac.waikato.cms.moa:moa:{MOA_VERSION} -DoutputDirectory=FOLDER, and "
           "--moa FOLDER")


@dataclass(frozen=True)
class DriftStream:
    """Two classes, rows in the order of the file. Features that a row does not list are zero."""

    name: str
    path: str  #: of the text, not compressed
    rows: int
    features: int
    seed: int  #: of River's learners that are random; MOA's forest takes none
    program: str  #: alder
    moa: str  #: the jar; empty: none

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        X, y = load_svmlight_file(self.path, n_features=self.features, zero_based=False)
        return X.toarray(), y > 0


@dataclass
class DriftOutcome:
    """What one learner did on one stream."""

    stream: str
    peer: str
    rows: int = 0  #: learned, fewer than the stream has if it was stopped
    mistakes: int = 0
    seconds: float = 0.0  #: processor time for predicting and learning
    stopped: bool = False
    failure: str = ""

    @property
    def error(self) -> float:
        return self.mistakes / self.rows

    @property
    def rows_per_second(self) -> float:
        return self.rows / self.seconds


@dataclass(frozen=True)
class DriftPeer:
    title: str
    package: str
    learn: Callable[..., None]  #: of a DriftStream, the seconds it may take, the DriftOutcome to fill, and `fixed`
    fixed: tuple[Any, ...] = ()
    remark: str = ""
    only_if_named: bool = False  #: takes too long to be run each time


def prepare(name: str, folder: Path, rows: int, seed: int, program: str, moa: str, target: Path) -> DriftStream:
    """Writes the first rows of a stream, or with 0 all, into the folder `target` as text."""
    path = target / f"{name}.libsvm"
    with lzma.open(folder / (name + SUFFIX), "rt") as source, path.open("w") as file:
        file.writelines(itertools.islice(source, rows or None))
    X, y = load_svmlight_file(str(path), zero_based=False)
    labels = sorted(set(y.tolist()))
    if labels != [-1, 1]:
        raise ValueError(f"{name}{SUFFIX} has the labels {labels}; expected -1 and 1")
    return DriftStream(name, str(path), len(y), X.shape[1], seed, program, moa)


def find_moa(folder: Path) -> str:
    """MOA's jar in a folder, the last one by name; empty if there is none, or no Java."""
    jars = sorted(folder.glob("moa-[0-9]*.jar"))
    return str(jars[-1].resolve()) if jars and shutil.which("java") else ""


def is_there(peer: DriftPeer, program: str, moa: str) -> bool:
    there = {"alder": bool(program), "moa": bool(moa)}
    return there.get(peer.package) or importlib.util.find_spec(peer.package) is not None


def _with_alder(stream: DriftStream, limit: float, outcome: DriftOutcome, arguments: tuple[str, ...]) -> None:
    """The program reads in a thread of its own. What it calls seconds is by the clock, without waiting for rows; the
    processor time of the process has the reading in it. Both are at least the processor time for predicting and learning,
    and the smaller one is taken."""
    before = _processor_time_of_children()
    answer = _call([stream.program, "train", stream.path, "--json", "--quiet", *arguments], limit)
    told = json.loads(answer)
    outcome.rows, outcome.mistakes = told["rounds"], told["mistakes"]
    outcome.seconds = min(told["seconds"], _processor_time_of_children() - before)


def _with_river(stream: DriftStream, limit: float, outcome: DriftOutcome, make: Callable[[int], Any]) -> None:
    X, y = stream.read()
    model = make(stream.seed)
    clock = Clock()
    for part in apart.parts(apart.every(PART, len(y)), clock, limit):
        predicted = predict_and_learn(model, X[part], y[part], clock)
        outcome.mistakes += int(np.count_nonzero(predicted != y[part]))
        outcome.rows = part.stop
    outcome.stopped = outcome.rows < len(y)
    outcome.seconds = clock.seconds


def predict_and_learn(model: Any, X: np.ndarray, y: np.ndarray, clock: Clock) -> np.ndarray:
    """What a model of River predicts of each row before it learns it."""
    rows = [dict(enumerate(row)) for row in X.tolist()]
    predicted = []
    with clock:
        for row, target in zip(rows, y.tolist()):
            predicted.append(model.predict_one(row))
            model.learn_one(row, target)
    return np.array(predicted)


def _river_forest(seed: int) -> Any:
    from river import forest

    return forest.ARFClassifier(n_models=10, seed=seed)


def _river_tree(seed: int) -> Any:
    from river import tree

    return tree.HoeffdingAdaptiveTreeClassifier(seed=seed)


def _river_neighbours(_: int) -> Any:
    from river import neighbors, preprocessing

    return preprocessing.StandardScaler() | neighbors.KNNClassifier(engine=neighbors.LazySearch(window_size=WINDOW))


def _river_logistic(_: int) -> Any:
    from river import linear_model, preprocessing

    return preprocessing.StandardScaler() | linear_model.LogisticRegression()


def _with_moa(stream: DriftStream, limit: float, outcome: DriftOutcome, trees: int) -> None:
    """MOA's prequential evaluation of a file. It tells the processor time of its main thread, with the reading; what it
    takes with a learner that learns nothing is subtracted. Compiling and clearing up are in other threads, not counted."""
    path = Path(stream.path).with_suffix(".arff")
    X, y = stream.read()
    with path.open("w") as file:
        file.write("@relation stream\n")
        file.writelines(f"@attribute x{i} numeric\n" for i in range(1, stream.features + 1))
        file.write("@attribute class {-1,1}\n@data\n")
        file.writelines(",".join(map(repr, row)) + (",1\n" if label else ",-1\n") for row, label in zip(X.tolist(), y))
    _, reading = _ask_moa(stream, path, "functions.NoChange", limit)
    right, seconds = _ask_moa(stream, path, f"(meta.AdaptiveRandomForest -s {trees})", limit)
    outcome.rows = len(y)
    outcome.mistakes = round(len(y) * (1 - right))
    outcome.seconds = seconds - reading


def _ask_moa(stream: DriftStream, path: Path, learner: str, limit: float) -> tuple[float, float]:
    """The share of rows that were predicted rightly, and seconds."""
    task = MOA_TASK.format(learner, path, stream.rows, stream.rows)
    lines = _call(["java", "-cp", stream.moa, "moa.DoTask", task], limit).strip().splitlines() or [""]
    told = dict(zip(lines[0].split(","), lines[-1].split(",")))  # it ends with 0 if it fails, too
    if float(told.get("classified instances", 0)) != stream.rows:
        raise RuntimeError(f"MOA evaluated {told.get('classified instances', 'no')} rows; expected {stream.rows}")
    return float(told["classifications correct (percent)"]) / 100, float(told["evaluation time (cpu seconds)"])


def _call(command: list[str], limit: float) -> str:
    """What a program prints. It is ended when it has had three times the limit, as what is not learning is not in it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **ONE_THREAD},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(3 * limit) + 60,) * 2))
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        os.kill(os.getpid(), signal.SIGPROF)  # as when this process has had too much itself
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1])
    return done.stdout


def _processor_time_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


PEERS = {
    "alder": DriftPeer("ALDER", "alder", _with_alder, ((),), "no option"),
    "alder-low": DriftPeer("ALDER, low effort", "alder", _with_alder, (("--effort", "low"),), "`--effort low`"),
    "arf": DriftPeer("River adaptive random forest", "river", _with_river, (_river_forest,), "10 trees"),
    "hat": DriftPeer("River Hoeffding adaptive tree", "river", _with_river, (_river_tree,), "defaults"),
    "knn": DriftPeer("River nearest neighbours", "river", _with_river, (_river_neighbours,),
                     f"5 of the last {WINDOW:,} rows, scaled online"),
    "logistic": DriftPeer("River logistic regression", "river", _with_river, (_river_logistic,), "scaled online"),
    "moa-arf": DriftPeer("MOA adaptive random forest", "moa", _with_moa, (10,), "10 trees"),
    "moa-arf-100": DriftPeer("MOA adaptive random forest, 100 trees", "moa", _with_moa, (100,), "defaults",
                             only_if_named=True),
}


def measure(name: str, stream: DriftStream, limit: float) -> DriftOutcome:
    task = {"peer": name, "stream": dataclasses.asdict(stream), "limit": limit}
    return DriftOutcome(**{"stream": stream.name, "peer": name, **apart.run("peers.drift", task)})


def _perform(task: dict[str, Any]) -> DriftOutcome:
    """What the process of its own does; programs that it starts are on its core too."""
    stream, peer = DriftStream(**task["stream"]), PEERS[task["peer"]]
    outcome = DriftOutcome(stream.name, task["peer"])
    apart.end_after(3 * task["limit"] + 60)  # what is not learning is not in the limit
    peer.learn(stream, task["limit"], outcome, *peer.fixed)
    return outcome


if __name__ == "__main__":
    apart.answer(_perform)
