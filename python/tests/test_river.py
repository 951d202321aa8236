"""River's side of many classes, probabilities and weights."""
import copy
import pickle

import numpy as np
import pytest
from conftest import CLASSIFIERS, ring_rows

import alder

river = pytest.importorskip("river")
pandas = pytest.importorskip("pandas")
import alder.river  # noqa: E402

COLUMNS = ["east", "north"]


def rows_of(X):
    return [dict(zip(COLUMNS, row)) for row in X.tolist()]


def learned(X, labels, weights=None, **parameters):
    model = alder.river.Classifier(**parameters)
    for x, label, weight in zip(rows_of(X), labels, np.ones(len(X)) if weights is None else weights):
        model.learn_one(x, label, weight)
    return model


@pytest.fixture(scope="module")
def three_rings():
    X, y = ring_rows(1500, seed=3, classes=3)
    return X, np.array(["outer", "inner", "middle"])[y]


@pytest.mark.parametrize("learner", [cls._learner for cls in CLASSIFIERS])
def test_many_classes_as_in_arrays(learner, three_rings):
    X, y = three_rings
    cls = {cls._learner: cls for cls in CLASSIFIERS}[learner]
    model, arrays = learned(X, y.tolist(), learner=learner), cls().partial_fit(X, y)
    assert model._multiclass
    if learner != "fogd":  # its features have numbers by their names
        assert model._model.encode() == arrays._model.encode()
        shares = [model.predict_proba_one(x) for x in rows_of(X[:100])]
        np.testing.assert_array_equal([[share[label] for label in arrays.classes_] for share in shares],
                                      arrays.predict_proba(X[:100]))
        assert [model.predict_one(x) for x in rows_of(X[:100])] == arrays.predict(X[:100]).tolist()
    assert model.stats_["mistakes"] < (1050 if learner == "linear" else 300) and model.stats_["log_loss"] < 1.2


def test_classes_are_known_as_they_come(three_rings):
    X, _ = three_rings
    model = alder.river.Classifier()
    known = []
    for i, x in enumerate(rows_of(X[:60])):
        label = ["b", "c", "a"][min(i // 20, 2) if i % 2 else 0]
        model.learn_one(x, label)
        known += [] if label in known else [label]
        shares = model.predict_proba_one(x)
        assert sorted(shares) == sorted(known) and sum(shares.values()) == pytest.approx(1.0)
        assert max(shares, key=shares.get) == model.predict_one(x) or len(set(shares.values())) < len(known)
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):  # in which classes have other ids
        assert same.predict_proba_one(rows_of(X)[7]) == model.predict_proba_one(rows_of(X)[7])
        same.learn_one(rows_of(X)[0], "d")
        assert set(same.predict_proba_one(rows_of(X)[7])) == {"a", "b", "c", "d"}


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (20000, 1))
    truth = 0.5 + 0.4 * np.sin(3 * X[:, 0])
    y = rng.random(20000) < truth
    model = alder.river.Classifier()
    made = []
    for x, label in zip(X[:, 0].tolist(), y.tolist()):
        made.append(model.predict_proba_one({"x": x}).get(True, 0.5))
        model.learn_one({"x": x}, label)
    assert np.abs(np.array(made)[5000:] - truth[5000:]).mean() < 0.05


def test_weights_are_those_of_arrays(three_rings):
    X, y = three_rings
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y))
    wanted = alder.AlderClassifier().partial_fit(X, y, sample_weight=weights)._model.encode()
    assert learned(X, y.tolist(), weights)._model.encode() == wanted != learned(X, y.tolist())._model.encode()
    frame, labels = pandas.DataFrame(X, columns=COLUMNS), pandas.Series(y)
    model = alder.river.Classifier()
    model.learn_many(frame, labels, w=pandas.Series(weights))
    assert model._model.encode() == wanted
    twice, single = alder.river.Classifier(), alder.river.Classifier()
    twice.learn_many(frame, labels, w=2.0)
    single.learn_many(frame, labels)
    assert twice._model.encode() == learned(X, y.tolist(), np.full(len(y), 2.0))._model.encode() != single._model.encode()
    before = single._model.encode()
    single.learn_one({"never met": 1.0}, "never met", w=0.0)
    assert single._model.encode() == before and "never met" not in single.predict_proba_one({})
    with pytest.raises(ValueError, match="expected as many of each"):
        single.learn_many(frame, labels, w=[1.0])
    with pytest.raises(alder.Error, match="weight is -1"):
        single.learn_one({"east": 1.0}, "inner", w=-1.0)


def test_class_weights(three_rings):
    X, y = three_rings
    for class_weight in ("balanced", {"inner": 3.0, "outer": 0.5}):
        wanted = alder.AlderClassifier(class_weight=class_weight).partial_fit(X, y)._model.encode()
        assert learned(X, y.tolist(), class_weight=class_weight)._model.encode() == wanted
    with pytest.raises(ValueError, match="class_weight is 'even'"):
        alder.river.Classifier(class_weight="even")


def test_probabilities_can_be_left_out(three_rings):
    X, y = three_rings
    model, usual = learned(X, y.tolist(), probabilities=False), learned(X, y.tolist())
    assert [model.predict_one(x) for x in rows_of(X)] == [usual.predict_one(x) for x in rows_of(X)]
    with pytest.raises(NotImplementedError):
        model.predict_proba_one({"east": 1.0})


@pytest.mark.parametrize("names", [["b", "a", "c"], [2, 0, 1], [("x", 1), "a", 3]], ids=str)
def test_the_order_of_names_in_a_row_changes_no_bit(names):
    rng = np.random.default_rng(4)
    one, other = alder.river.Classifier(), alder.river.Classifier()
    for i, row in enumerate(rng.normal(size=(600, 3)).tolist()):
        x = dict(zip(names[:1 if i < 100 else 3], row))  # two names come late, at once
        label = i % 3
        one.learn_one(x, label)
        items = list(x.items())
        other.learn_one(dict(items[place] for place in rng.permutation(len(items))), label)
    assert one._model.encode() == other._model.encode()


def test_river_evaluates_it():
    from river import datasets, evaluate, metrics, preprocessing
    model = preprocessing.StandardScaler() | alder.river.Classifier()
    found = evaluate.progressive_val_score(datasets.ImageSegments().take(1500), model, metrics.Accuracy() + metrics.LogLoss())
    assert found[0].get() > 0.8
    model = preprocessing.StandardScaler() | alder.river.Classifier()
    found = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy() + metrics.ROCAUC())
    assert found[0].get() > 0.85 and found[1].get() > 0.9
