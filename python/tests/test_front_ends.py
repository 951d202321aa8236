"""The same rows give the same model, to the byte, whichever way they come in."""
import copy
import json
import pathlib
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from conftest import CLASSIFIERS, WEIGHTED_CLASSIFIERS, encoded, ring_rows
from test_stream import PROGRAM, needs_program

import alder
from alder import _alder

FROZEN = pathlib.Path(__file__).parents[2] / "tests" / "frozen" / "v1"
by_name = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
weighted = pytest.mark.parametrize("cls", WEIGHTED_CLASSIFIERS, ids=lambda cls: cls.__name__)


def coarse_rings(count=1500, seed=5):
    """Rows that floats hold exactly."""
    X, y = ring_rows(count, seed)
    return X.astype(np.float32).astype(np.float64), y


@by_name
def test_layouts_and_types_give_the_same_bytes(cls):
    X, y = coarse_rings()
    expected = encoded(cls(shuffle=False).fit(X, y))
    strided = np.zeros((2 * len(X), 5))[::2, ::2][:, :2]
    strided[:] = X
    for same in (X.astype(np.float32), np.asfortranarray(X), np.asfortranarray(X.astype(np.float32)), strided, X[::-1][::-1]):
        model = cls(shuffle=False)
        rows = _alder.Rows.dense(same)  # past scikit-learn's validation, which may copy
        model._begin(None, [np.unique(y)], horizon=len(y))
        model._model.learn(rows, y.astype(float))
        assert encoded(model) == expected
        assert encoded(cls(shuffle=False).fit(same, y)) == expected


def test_sparse_rows_of_any_type_give_the_same_bytes(sparse_rows):
    X, y = sparse_rows
    X = X.astype(np.float32).astype(np.float64)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    expected = encoded(alder.AlderClassifier().fit(X, y))
    for same in (wide, X.astype(np.float32), wide.astype(np.float32), scipy.sparse.csr_array(X)):
        assert encoded(alder.AlderClassifier().fit(same, y)) == expected


@by_name
@pytest.mark.parametrize("cuts", [[1], [7], [64], [65, 1, 8, 300]])
@pytest.mark.parametrize("options", [{}, {"sigma": 0.5}, {"scale": "online"}], ids=str)
def test_how_rows_are_cut_into_calls_does_not_matter(cls, cuts, options):
    if "sigma" in options and not hasattr(cls(), "sigma"):
        pytest.skip("it has no kernel")
    X, y = coarse_rings(700)
    at_once = cls(**options).partial_fit(X, y)
    model, done = cls(**options), 0
    while done < len(y):
        for cut in cuts:
            part = slice(done, done + cut)
            if len(y[part]):
                model.partial_fit(X[part], y[part], classes=[0, 1])
            done += cut
    assert encoded(model) == encoded(at_once)


@by_name
def test_threads_change_no_bit(cls):
    X, y = ring_rows(9000, seed=2)
    model = cls().fit(X[:2000], y[:2000])
    alone, shared = np.empty(9000), np.empty(9000)
    model._model.score(_alder.Rows.dense(X), alone, 1)
    for same in (X, np.asfortranarray(X)):
        model._model.score(_alder.Rows.dense(same), shared, 3)
        np.testing.assert_array_equal(shared, alone)
    np.testing.assert_array_equal(model.decision_function(X), alone)  # by all cores
    np.testing.assert_array_equal([model.decision_function(X[i:i + 1])[0] for i in range(0, 9000, 500)], alone[::500])
    ids = np.empty(9000, dtype=np.uint32)
    model._model.predict(_alder.Rows.dense(X), ids, 3)
    np.testing.assert_array_equal(model.classes_[ids], model.predict(X))


def test_a_bad_row_is_named_however_many_threads_look():
    X, y = ring_rows(9000)
    model = alder.PomdrClassifier(precision="float").fit(X[:200], y[:200])
    X[[5000, 7777]] = 1e200
    for threads in (1, 3):
        with pytest.raises(alder.Error, match="row 5000: ") as raised:
            model._model.score(_alder.Rows.dense(X), np.empty(9000), threads)
        assert (raised.value.row, raised.value.kind) == (5000, "row")


def through_river(learner, X, labels, **options):
    import alder.river
    model = alder.river.Classifier(learner, **options)
    for row, label in zip(X.tolist(), labels):
        model.learn_one(dict(enumerate(row)), label)
    return model


LABELS = [(0, 1), (-1, 1), ("a", "b"), (False, True), (2.0, 10.0)]


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("learner, options", [("alder", {}), ("ogd", {"sigma": 0.5}), ("pomdr", {"sigma": 0.5})])
def test_front_ends_agree(learner, options, labels, first):
    pytest.importorskip("river")
    cls = {cls._learner: cls for cls in CLASSIFIERS}[learner]
    X, y = coarse_rings(600)
    y[:3] = first, first, 1 - first
    names = np.array(labels)[y]

    model = cls(**options)
    for part in np.array_split(np.arange(600), 7):
        model.partial_fit(X[part], names[part], classes=list(labels))
    core = _alder.Model(learner, '{"kernel": {"name": "gaussian", "sigma": 0.5}}' if options else "{}")
    core.set_classes([str(label) for label in np.unique(names)])
    core.learn(_alder.Rows.dense(X), y.astype(float))
    river = through_river(learner, X, names.tolist(), **options)
    assert encoded(model) == core.encode() == encoded(river)

    # What is positive is the second label, in the order of the labels, for all of them.
    scores = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(scores > 0).astype(int)])
    assert (model.predict(X) == names).mean() > 0.9
    for row, score, predicted in zip(X[:50].tolist(), scores, model.predict(X)):
        x = dict(enumerate(row))
        assert river.predict_one(x) == predicted
        shares = river.predict_proba_one(x)
        assert (shares[labels[1]] > 0.5) == (score > 0)
        assert [shares[label] for label in model.classes_] == model.predict_proba([row])[0].tolist()
    # The order of classes in a copy may be another; what it does is not.
    more = encoded(copy.deepcopy(model).partial_fit(X[:100], names[:100]))
    for same in (pickle.loads(pickle.dumps(river)), copy.deepcopy(river), river):
        for row, predicted in zip(X[:50].tolist(), model.predict(X)):
            assert same.predict_one(dict(enumerate(row))) == predicted
        for row, label in zip(X[:100].tolist(), names.tolist()):
            same.learn_one(dict(enumerate(row)), label)
        assert encoded(same) == more


def write_libsvm(path, X, names):
    lines = (f"{name} " + " ".join(f"{j}:{value!r}" for j, value in enumerate(row, 1)) for row, name in zip(X.tolist(), names))
    path.write_text("\n".join(lines) + "\n")


def write_csv(path, X, names):
    lines = (",".join([*map(repr, row), name]) for row, name in zip(X.tolist(), names))
    path.write_text("\n".join([",".join([*(f"x{j}" for j in range(X.shape[1])), "label"]), *lines]) + "\n")


def in_form(file, X, names):
    """Rows and labels for Python as such a file has them: a table with the names of its columns, or a matrix."""
    if file is write_libsvm:
        return X, names
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), pd.Series(names, name="label")


# Learner, options but the kernel, kernel.
WAYS = {
    "default": ("alder", {}, {}),
    "default, scaled": ("alder", {"scale": "online"}, {}),
    "default, double": ("alder", {"precision": "double"}, {}),
    "automatic width": ("ogd", {}, {}),
    "automatic width, double": ("pomdr", {"precision": "double"}, {}),
    "automatic width of another kernel": ("pomdr", {}, {"name": "laplacian"}),
    "automatic width, scaled": ("pomdr", {"scale": "online"}, {}),
    "no kernel, scaled": ("linear", {"scale": "online"}, {}),
    "a learner that draws": ("bogd", {"budget": 50}, {}),
    "random features": ("fogd", {}, {}),
    "given": ("ogd", {}, {"name": "gaussian", "sigma": 0.5}),
    "given, scaled": ("pomdr", {"scale": "online"}, {"name": "laplacian", "sigma": 2.0}),
}


@needs_program
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("count", [40, 64, 100, 128, 700])
@pytest.mark.parametrize("file, first", [(write_libsvm, 0), (write_csv, 1)])
def test_the_program_and_all_of_python_give_the_same_bytes(way, count, file, first, tmp_path):
    pytest.importorskip("river")
    learner, options, kernel = WAYS[way]
    X, y = ring_rows(count, seed=7)
    y[:3] = first, first, 1 - first
    X = np.column_stack([X, 100.0 * np.random.default_rng(1).normal(size=count) - 30.0])  # so that scaling matters
    names = np.array(["inner", "outer"])[y]
    width = {"sigma": kernel["sigma"]} if "sigma" in kernel else {}

    file(tmp_path / "rows", X, names)
    flags = [word for name, value in {"learner": learner, **options, **width}.items() for word in (f"--{name}", str(value))]
    flags += ["--kernel", kernel["name"]] if kernel else []
    subprocess.run([PROGRAM, "train", "rows", "-o", "model", "--quiet", *flags], cwd=tmp_path, check=True, capture_output=True,
                   timeout=60)
    program = (tmp_path / "model").read_bytes()

    cls = {cls._learner: cls for cls in CLASSIFIERS}[learner]
    model = cls(**options, **width, **({"kernel": kernel["name"]} if kernel else {}))
    rows, labels = in_form(file, X, names)
    for part in np.array_split(np.arange(count), 7):
        model.partial_fit(rows[part[0]:part[-1] + 1], labels[part[0]:part[-1] + 1], classes=["inner", "outer"])
    assert encoded(model) == program
    if file is write_csv:  # whose columns only a table has
        return
    core = _alder.Model(learner, json.dumps({**options, **({"kernel": kernel} if kernel else {})}))
    core.set_classes(["inner", "outer"])
    core.learn(_alder.Rows.dense(X), y.astype(float))
    assert core.encode() == program
    if learner != "fogd":  # River's features have numbers by their names there
        name = {"kernel": kernel["name"]} if kernel else {}
        assert encoded(through_river(learner, X, names.tolist(), options=options, **width, **name)) == program


THREE = {"numbers": ([0, 1, 2], np.array([1, 2, 0])), "text": (["inner", "middle", "outer"], np.array(["outer", "inner", "middle"])),
         "digits": (["9", "10", "11"], np.array(["10", "9", "11"]))}


@needs_program
@pytest.mark.parametrize("labels", THREE)
@pytest.mark.parametrize("file", [write_libsvm, write_csv])
@pytest.mark.parametrize("count", [50, 900])
def test_three_classes_give_the_same_bytes(labels, file, count, tmp_path):
    pytest.importorskip("river")
    X, y = ring_rows(count, seed=7, classes=3)
    names = THREE[labels][1][y]
    file(tmp_path / "rows", X, names.astype(str))
    subprocess.run([PROGRAM, "train", "rows", "-o", "model", "--quiet"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    program = (tmp_path / "model").read_bytes()
    model = alder.AlderClassifier()
    rows, targets = in_form(file, X, names)
    for part in np.array_split(np.arange(count), min(count, 7)):
        model.partial_fit(rows[part[0]:part[-1] + 1], targets[part[0]:part[-1] + 1])
    assert encoded(model) == program
    if file is write_libsvm:
        assert encoded(through_river("alder", X, names.tolist())) == program
    loaded = alder.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(rows).astype(names.dtype), model.predict(rows))


def test_labels_of_digits_are_text_and_keep_their_order(tmp_path):
    X, y = ring_rows(500)
    names = np.array(["9", "10"])[y]  # sorted as text: "10", "9"
    model = alder.OgdClassifier().fit(X, names)
    assert model.classes_.tolist() == ["10", "9"]
    scores = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), np.where(scores > 0, "9", "10"))
    assert model.score(X, names) > 0.95
    same = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(same.decision_function(X), scores)
    alder.save(model, tmp_path / "model")
    loaded = alder.load(tmp_path / "model")
    assert loaded.classes_.tolist() == [9, 10]
    np.testing.assert_array_equal(loaded.decision_function(X), 0.0 - scores)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X).astype(int))


def test_river_knows_nothing_before_it_learns():
    pytest.importorskip("river")
    import alder.river
    model = alder.river.Classifier()
    assert model.predict_one({"a": 1.0}) is None and model.predict_proba_one({"a": 1.0}) == {}
    with pytest.raises(TypeError):
        model.learn_one({"a": [1.0]}, 1)
    assert model.predict_one({"a": 1.0}) is None
    model.learn_one({"a": 1.0}, 1)
    assert model.predict_one({"a": -5.0}) == 1 and model.predict_proba_one({"a": 1.0}) == {1: 1.0}
    model.learn_one({"a": 1.0}, 1.0)  # the same label
    model.learn_one({"a": -1.0}, 0)
    assert model.stats_["rounds"] == 3 and set(model.predict_proba_one({"a": 1.0})) == {0, 1}
    model.learn_one({"a": 5.0}, "third")
    assert set(model.predict_proba_one({"a": 1.0})) == {0, 1, "third"}


@by_name
def test_rows_without_weight_change_nothing(cls):
    X, y = coarse_rings()
    weights = (np.random.default_rng(1).random(len(y)) < 0.7).astype(float)
    kept = weights > 0
    for fit in (lambda *data, **more: cls().fit(*data, **more), lambda *data, **more: cls(shuffle=False).fit(*data, **more),
                lambda *data, **more: cls().partial_fit(*data, **more)):
        expected = encoded(fit(X[kept], y[kept]))
        assert encoded(fit(X, y, sample_weight=weights)) == expected
        assert encoded(fit(X, y)) != expected
    assert encoded(cls().fit(X, y, sample_weight=np.ones(len(y)))) == encoded(cls().fit(X, y))
    model = cls().partial_fit(X, y)
    before = encoded(model)
    assert encoded(model.partial_fit(X, y, sample_weight=np.zeros(len(y)))) == before


@weighted
@pytest.mark.parametrize("count", [250, 300, 451])
def test_a_weight_of_two_is_nearly_twice_the_step(cls, count):
    X, y = ring_rows(count, seed=6)
    y[-1] = 1 - y[-1]  # a mistake, from which all learn
    options = {name: value for name, value in (("sigma", 0.5), ("precision", "double")) if hasattr(cls(), name)}
    never, once, twice = (cls(**options).partial_fit(X, y, sample_weight=[1.0] * (count - 1) + [weight]).decision_function(X[-1:])[0]
                          for weight in (0.0, 1.0, 2.0))
    # Steps of ALDER and POMDR depend on what was learned, and weigh less the larger they are.
    least = 1.1 if cls in (alder.AlderClassifier, alder.PomdrClassifier) else 1.95
    assert (once - never) * (2 * y[-1] - 1) > 0
    assert least < (twice - never) / (once - never) < 2.001


@weighted
def test_weights_do_about_what_repeated_rows_do(cls):
    X, y = ring_rows(1500, seed=3)
    weight = np.where(y == 1, 2.0, 1.0)
    twice = np.repeat(np.arange(1500), weight.astype(int))
    options = {"sigma": 0.5} if hasattr(cls(), "sigma") else {}
    weighted_model = cls(**options).partial_fit(X, y, sample_weight=weight)
    repeated = cls(**options).partial_fit(X[twice], y[twice])
    assert weighted_model.t_ == 1500 and repeated.t_ == len(twice)
    if cls is not alder.LinearClassifier:
        assert (weighted_model.predict(X) == repeated.predict(X)).mean() > 0.95


def test_weights_that_make_no_sense_are_refused(rings):
    X, y = rings
    for weights, words in (([-1.0] * len(y), "weight is -1; expected a number from 0"), ([2e6] * len(y), "from 0 to"),
                           ([np.nan] * len(y), "NaN"), ([1.0], "sample_weight"), (np.zeros(len(y)), "all sample weights are zero"),
                           (y.astype(float), "only 1 class")):
        with pytest.raises(ValueError, match=words):
            alder.OgdClassifier().fit(X, y, sample_weight=weights)
    for cls in set(CLASSIFIERS) - set(WEIGHTED_CLASSIFIERS):
        name = cls._learner.replace("+", r"\+")
        with pytest.raises(alder.Error, match=f"row 0: the weight is 2; expected 0 or 1, since {name} has no place for"):
            cls().partial_fit(X, y, sample_weight=np.full(len(y), 2.0))
        assert cls().fit(X, y, sample_weight=np.ones(len(y))).t_ == len(y)


def test_models_of_version_1_load_and_go_on(tmp_path):
    paths = sorted(FROZEN.glob("*.model"))
    assert len(paths) > 20
    X, y = ring_rows(300)
    for path in paths:
        model = alder.load(path)
        rounds, mistakes = model.t_, model.stats_["mistakes"]
        assert rounds > 0 and 0 < mistakes < rounds
        assert len(model.classes_) == 2
        if "alder" in path.name:
            assert model.recent_labels
        wide = np.zeros((300, model.n_features_in_))
        wide[:, :2] = X
        labels = model.classes_[y]
        if model._model.learner != "hypothesis":
            model.partial_fit(wide, labels)
            assert model.t_ == rounds + 300 and model.stats_["mistakes"] > mistakes
        alder.save(model, tmp_path / "model")
        again = alder.load(tmp_path / "model")
        np.testing.assert_array_equal(again.decision_function(wide), model.decision_function(wide))
        assert encoded(again) == encoded(model)
        assert again.stats_["mistakes"] == model.stats_["mistakes"]


def test_recent_labels_are_an_option(tmp_path):
    X, y = ring_rows(1200)
    y[600:] = 1  # the last labels are all the same
    plain, recent = (alder.AlderClassifier(recent_labels=wanted).partial_fit(X, y) for wanted in (False, True))
    assert alder.AlderClassifier().recent_labels is False
    assert encoded(plain) == encoded(alder.AlderClassifier().partial_fit(X, y)) != encoded(recent)
    alder.save(recent, tmp_path / "model")
    assert alder.load(tmp_path / "model").recent_labels is True
    with pytest.raises(alder.Error, match="recent_labels"):
        alder.AlderClassifier(recent_labels=3).fit(X, y)


@by_name
def test_features_are_scaled_by_the_first_rows_if_wanted(cls, tmp_path):
    X, y = ring_rows(600)
    X = X * [1000.0, 0.001]
    model = cls(scale="online").partial_fit(X[:40], y[:40])
    assert model.support_vectors_.shape == (model.n_support_, 2)
    alder.save(model, tmp_path / "model")  # before there is a scale
    again = alder.load(tmp_path / "model")
    assert again.scale == "online"
    assert encoded(again.partial_fit(X[40:], y[40:])) == encoded(model.partial_fit(X[40:], y[40:]))
    if cls is not alder.LinearClassifier:
        assert model.score(X, y) > 0.9
