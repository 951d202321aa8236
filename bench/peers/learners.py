"""The peers. A learner takes a part of the stream, predicts every row before it learns it, and tells its mistakes."""
from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import dlib_peer
from .apart import Clock
from .streams import Stream, sparse_rows

BATCH = 256  #: rows that scikit-learn predicts and then learns at once
FIRST_BATCH = 8  #: at first, then twice as many each time, so that few rows are predicted with nothing learned
NYSTROEM_ROWS = 400
PARSED_AT_ONCE = 64  #: Vowpal Wabbit's examples take 30 kB each
FIRST_PART = 4096  #: rows on which slow peers compare their settings


class AlderLearner:
    """One of alder's classifiers, with its defaults but, if it is told, for the kernel's width, ζ and the number of rows.

    `partial_fit` predicts each row by itself before it learns it, and counts the mistakes.
    """

    def __init__(self, stream: Stream, classifier: str, told: bool = True, **settings: Any) -> None:
        import alder

        known: dict[str, Any] = {"random_state": stream.seed}
        if told:
            known |= {"sigma": stream.sigma, "zeta": stream.zeta, "horizon": stream.rows}
        self.model = getattr(alder, classifier)()
        taken = self.model.get_params()
        self.model.set_params(**{name: value for name, value in known.items() if name in taken}, **settings)
        self.mistakes = 0

    def learn(self, X: Any, y: np.ndarray, clock: Clock) -> int:
        before = self.mistakes
        with clock:
            self.model.partial_fit(X, y, classes=[-1, 1])
        self.mistakes = self.model.stats_["mistakes"]
        return self.mistakes - before

    def model_bytes(self) -> int:
        import alder

        return _file_bytes(lambda path: alder.save(self.model, path))


class SgdLearner:
    """scikit-learn's SGDClassifier with the hinge loss, on the features as they are, random Fourier or Nyström ones."""

    def __init__(self, stream: Stream, features: str, **settings: Any) -> None:
        from sklearn.kernel_approximation import Nystroem, RBFSampler
        from sklearn.linear_model import SGDClassifier

        self.model = SGDClassifier(loss="hinge", random_state=stream.seed, **settings)
        self.map = None
        if features == "rbf":  # cosines with random phases; each of alder's 400 frequencies has a cosine and a sine
            self.map = RBFSampler(gamma=stream.gamma, n_components=800, random_state=stream.seed)
        elif features == "nystroem":
            self.map = Nystroem(gamma=stream.gamma, n_components=NYSTROEM_ROWS, random_state=stream.seed)
        self.batch = 0

    def learn(self, X: Any, y: np.ndarray, clock: Clock) -> int:
        mistakes = 0
        with clock:
            if self.map is not None and self.batch == 0:
                self.map.fit(X[:NYSTROEM_ROWS])
            first = 0
            while first < len(y):
                size = min(2 * self.batch or FIRST_BATCH, BATCH)
                rows, labels = X[first:first + size], y[first:first + size]
                if self.map is not None:
                    rows = self.map.transform(rows)
                predicted = self.model.predict(rows) if self.batch else 1
                mistakes += np.count_nonzero(predicted != labels)
                self.model.partial_fit(rows, labels, classes=[-1, 1])
                self.batch = size
                first += size
        return mistakes

    def model_bytes(self) -> int:
        return len(pickle.dumps((self.map, self.model)))


class RiverLearner:
    """River's logistic regression. `components` is the number of random features made of each feature, 0 for none."""

    def __init__(self, stream: Stream, components: int, rate: float) -> None:
        from river import feature_extraction, linear_model, optim

        self.map = None
        if components:
            self.map = feature_extraction.RBFSampler(gamma=stream.gamma, n_components=components, seed=stream.seed)
        self.model = linear_model.LogisticRegression(optim.SGD(rate), intercept_lr=rate)

    def learn(self, X: Any, y: np.ndarray, clock: Clock) -> int:
        rows = [dict(zip(indices, values)) for indices, values in sparse_rows(X)]
        labels = (y > 0).tolist()
        mistakes = 0
        with clock:
            for row, label in zip(rows, labels):
                if self.map is not None:
                    row = self.map.transform_one(row)
                mistakes += self.model.predict_one(row) != label
                self.model.learn_one(row, label)
        return mistakes

    def model_bytes(self) -> int:
        return len(pickle.dumps((self.map, self.model)))


class VowpalLearner:
    """Vowpal Wabbit with the given arguments; its prediction when it learns a row is the one made before."""

    def __init__(self, stream: Stream, arguments: str) -> None:
        from vowpalwabbit import Workspace

        # The kernel is exp(-bandwidth d²): the bandwidth is γ.
        self.workspace = Workspace(f"--quiet --random_seed {stream.seed} " + arguments.format(gamma=stream.gamma))

    def learn(self, X: Any, y: np.ndarray, clock: Clock) -> int:
        labels = y.tolist()
        lines = [f"{label} | " + " ".join(f"{index}:{value:.9g}" for index, value in zip(indices, values))
                 for label, (indices, values) in zip(labels, sparse_rows(X))]
        mistakes = 0
        for first in range(0, len(lines), PARSED_AT_ONCE):
            examples = [self.workspace.parse(line) for line in lines[first:first + PARSED_AT_ONCE]]
            with clock:
                for example, label in zip(examples, labels[first:]):
                    self.workspace.learn(example)
                    mistakes += (example.get_simplelabel_prediction() >= 0) != (label > 0)
            for example in examples:
                self.workspace.finish_example(example)
        return mistakes

    def model_bytes(self) -> int:
        return _file_bytes(self.workspace.save)


class SvcBatch:
    """LIBSVM as scikit-learn's SVC, C = 1."""

    def __init__(self, stream: Stream) -> None:
        from sklearn.svm import SVC

        self.model = SVC(gamma=stream.gamma)

    def fit(self, X: Any, y: np.ndarray, clock: Clock) -> None:
        with clock:
            self.model.fit(X, y)

    def count_mistakes(self, X: Any, y: np.ndarray, clock: Clock) -> int:
        with clock:
            return int(np.count_nonzero(self.model.predict(X) != y))

    def model_bytes(self) -> int:
        return len(pickle.dumps(self.model))


@dataclass(frozen=True)
class Peer:
    """A learner, and the settings to try, of which the best by online error is shown."""

    title: str
    package: str  #: as pip calls it, unless `install` says otherwise
    module: str  #: what it is imported as
    make: Callable[..., Any]  #: of a Stream and settings
    settings: tuple[dict[str, Any], ...] = ({},)
    fixed: tuple[Any, ...] = ()  #: what `make` takes between the stream and the settings
    compared_on: int | None = None  #: settings are compared on so many rows only; None: on all
    batch: bool = False  #: learns the first half of the rows and is tested on the second
    remark: str = ""
    install: str = ""  #: the command, if it is not pip
    is_installed: Callable[[], bool] | None = None  #: None: if the module can be found


def _sgd_steps(*steps: float) -> tuple[dict[str, Any], ...]:
    """The default, and steps that fall with the root of the round as those of gradient descent on a stream do."""
    return ({}, *({"learning_rate": "invscaling", "power_t": 0.5, "eta0": step, "alpha": 1e-6} for step in steps))


_IN_BATCHES = f"predicted in batches of {BATCH}, smaller ones at first"
_KSVM = "--ksvm --kernel rbf --bandwidth {gamma} "
_HINGE = "--loss_function hinge "
_HALF = "batch: trained on the first half, tested on the second; C = 1"

PEERS = {
    "alder": Peer("alder ALDER", "alder", "alder", AlderLearner, fixed=("AlderClassifier", False),
                  remark="is told nothing, and finds σ itself"),
    "alder-pomdr": Peer("alder POMDR", "alder", "alder", AlderLearner, fixed=("PomdrClassifier",)),
    "alder-fogd": Peer("alder FOGD", "alder", "alder", AlderLearner, fixed=("FogdClassifier",)),
    "alder-nogd": Peer("alder NOGD", "alder", "alder", AlderLearner, fixed=("NogdClassifier",)),
    "alder-linear": Peer("alder linear", "alder", "alder", AlderLearner, fixed=("LinearClassifier",)),
    "sgd-rbf": Peer("scikit-learn SGD + RBFSampler", "scikit-learn", "sklearn.kernel_approximation", SgdLearner,
                    _sgd_steps(1, 10, 100), ("rbf",), remark=_IN_BATCHES),
    "sgd-nystroem": Peer("scikit-learn SGD + Nystroem", "scikit-learn", "sklearn.kernel_approximation", SgdLearner,
                         _sgd_steps(1, 10, 100), ("nystroem",), remark=_IN_BATCHES),
    "sgd-linear": Peer("scikit-learn SGD, linear", "scikit-learn", "sklearn.linear_model", SgdLearner,
                       _sgd_steps(0.1, 1, 10), ("linear",), remark=_IN_BATCHES),
    "river-rbf": Peer("River logistic + RBFSampler", "river", "river.linear_model", RiverLearner,
                      ({"components": 30, "rate": 0.003}, {"components": 100, "rate": 0.001},
                       {"components": 400, "rate": 0.0003}), compared_on=FIRST_PART,
                      remark="its random features are of one feature each, so it learns a sum over the features"),
    "river-linear": Peer("River logistic, linear", "river", "river.linear_model", RiverLearner,
                         tuple({"components": 0, "rate": rate} for rate in (0.01, 0.03, 0.1))),
    "vw-linear": Peer("Vowpal Wabbit, linear", "vowpalwabbit", "vowpalwabbit", VowpalLearner,
                      tuple({"arguments": _HINGE + f"-l {rate}"} for rate in (0.5, 2))),
    "vw-ksvm": Peer("Vowpal Wabbit kernel SVM", "vowpalwabbit", "vowpalwabbit", VowpalLearner,
                    tuple({"arguments": _KSVM + more} for more in ("--l2 1", "--l2 3", "--l2 1 --reprocess 5")),
                    compared_on=FIRST_PART, remark="stores rows without a bound"),
    "svc": Peer("LIBSVM (scikit-learn SVC)", "scikit-learn", "sklearn.svm", SvcBatch, batch=True, remark=_HALF),
    "dlib": Peer("dlib svm_pegasos", "dlib", "peers.dlib_peer", dlib_peer.DlibLearner,
                 tuple({"lambda": weight} for weight in (1e-3, 1e-4, 1e-5)), compared_on=FIRST_PART,
                 remark=f"at most {dlib_peer.BUDGET} rows stored", install="apt-get install g++ libdlib-dev",
                 is_installed=dlib_peer.is_installed),
}


def _file_bytes(write: Callable[[str], object]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        write(path)
        return os.path.getsize(path)
