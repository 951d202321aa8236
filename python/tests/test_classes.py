"""Any number of classes: labels, late classes, probabilities and metrics."""
import copy
import pickle
import warnings

import numpy as np
import pytest
from conftest import CLASSIFIERS, encoded, noisy_rows, ring_rows
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, cohen_kappa_score, log_loss

import alder

by_name = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)


@by_name
@pytest.mark.parametrize("classes", [3, 5])
def test_learns_any_number_of_classes(cls, classes):
    X, y = ring_rows(4000, seed=1, classes=classes)
    model = cls().fit(X, y)
    fresh, truth = ring_rows(1000, seed=2, classes=classes)
    assert model.classes_.tolist() == list(range(classes))
    predicted, scores, shares = model.predict(fresh), model.decision_function(fresh), model.predict_proba(fresh)
    if cls is alder.LinearClassifier:
        assert (predicted == truth).mean() > 0.9 / classes
    else:
        assert (predicted == truth).mean() > (0.85 if classes == 3 else 0.7)
    assert scores.shape == shares.shape == (1000, classes)
    np.testing.assert_array_equal(scores.argmax(axis=1), predicted)
    np.testing.assert_array_equal(shares.argmax(axis=1), predicted)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert shares.min() >= 0.0
    np.testing.assert_array_equal(model.predict_log_proba(fresh), np.log(shares))


@by_name
def test_probabilities_of_two_classes(cls, rings):
    X, y = rings
    model = cls().fit(X, y)
    shares, scores = model.predict_proba(X), model.decision_function(X)
    assert shares.shape == (2000, 2) and scores.shape == (2000,)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))
    np.testing.assert_array_equal(shares[:, 1] > 0.5, scores >= 0)
    assert log_loss(y, shares) < (0.7 if cls is alder.LinearClassifier else 0.2)


LABELS = {"text": np.array(["quick", "brown", "fox", "dog"]), "objects": np.array(["quick", "brown", "fox", "dog"], dtype=object),
          "digits as text": np.array(["9", "10", "100", "-1"]), "whole numbers": np.array([7, -3, 0, 12]),
          "floats": np.array([2.0, 10.0, -1.0, 0.0]), "small numbers": np.array([3, 0, 2, 1], dtype=np.uint8)}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_kind(kind, four_rings, tmp_path):
    X, y = four_rings
    names = LABELS[kind][y]
    model = alder.AlderClassifier().fit(X, names)
    np.testing.assert_array_equal(model.classes_, np.unique(names))
    assert model.classes_.dtype == names.dtype == model.predict(X).dtype
    assert model.score(X, names) > 0.95
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))
    # Whatever labels are called, the rows and their order are the same.
    numbers = alder.AlderClassifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), LABELS[kind][numbers.predict(X)])
    alder.save(model, tmp_path / "model")
    loaded = alder.load(tmp_path / "model")
    assert loaded.classes_.tolist() == sorted(loaded.classes_.tolist())
    kept = [float(label) for label in model.predict(X)] if kind == "digits as text" else model.predict(X)
    np.testing.assert_array_equal(loaded.predict(X), kept)
    columns = [np.flatnonzero(model.classes_.astype(str) == str(label))[0] if kind != "floats" else
               np.flatnonzero(model.classes_ == label)[0] for label in loaded.classes_]
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X)[:, columns])
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X)[:, columns])


def test_truth_values_stay_such_in_files(rings, tmp_path):
    X, y = rings
    model = alder.AlderClassifier().fit(X, y.astype(bool))
    assert model.classes_.tolist() == [False, True] and model.predict(X).dtype == bool
    alder.save(model, tmp_path / "model")
    loaded = alder.load(tmp_path / "model")
    assert loaded.classes_.tolist() == [False, True]
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("labels", [("a", "b"), ("9", "10"), (0, 1), (5.0, -5.0), (True, False)], ids=str)
def test_scores_of_two_classes_are_positive_for_the_second(labels, rings, tmp_path):
    X, y = rings
    names = np.array(labels)[y]
    for model in (alder.AlderClassifier().fit(X, names), alder.AlderClassifier().partial_fit(X[:1], names[:1]).partial_fit(X, names)):
        for same in (model, pickle.loads(pickle.dumps(model))):
            scores = same.decision_function(X)
            np.testing.assert_array_equal(same.predict(X), same.classes_[(scores > 0).astype(int)])
        alder.save(model, tmp_path / "model")
        loaded = alder.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.predict(X), loaded.classes_[(loaded.decision_function(X) > 0).astype(int)])
    curve = alder.progressive(X, names, alder.AlderClassifier())
    np.testing.assert_array_equal(curve.predicted[100:], np.unique(names)[(curve.score[100:] > 0).astype(int)])


def late_labels(count=900):
    """The classes come at rows 0, 1, 2, 300 and 600, in no order."""
    X, y = ring_rows(count, seed=8, classes=5)
    y[:3] = 3, 1, 4
    y[3:300] = np.array([3, 1, 4])[y[3:300] % 3]
    y[300:600] = np.array([3, 1, 4, 0])[y[300:600] % 4]
    y[300], y[600] = 0, 2
    radius = 1.0 + y + np.random.default_rng(3).normal(0, 0.1, count)
    return X / np.linalg.norm(X, axis=1, keepdims=True) * radius[:, None], y


@by_name
@pytest.mark.parametrize("names", [np.array(["e", "b", "c", "a", "d"]), np.arange(5), np.array(["9", "10", "11", "8", "100"])],
                         ids=["text", "numbers", "digits"])
def test_late_classes_are_learned_alike_however_rows_are_cut(cls, names):
    X, y = late_labels()
    y = names[y]
    at_once = cls().partial_fit(X, y)
    assert at_once.classes_.tolist() == sorted(set(y.tolist()))
    for cuts in ([1], [2, 301], [300, 600], [7, 650], list(range(1, 900, 13))):
        model = cls()
        for part in np.split(np.arange(900), cuts):
            model.partial_fit(X[part], y[part])
            assert model.classes_.tolist() == sorted(set(y[:part[-1] + 1].tolist()))
        assert encoded(model) == encoded(at_once)
        np.testing.assert_array_equal(model.predict(X), at_once.predict(X))
        np.testing.assert_array_equal(model.predict_proba(X), at_once.predict_proba(X))
        np.testing.assert_array_equal(model.decision_function(X), at_once.decision_function(X))


def test_columns_follow_the_classes_as_they_come():
    X, y = late_labels()
    names = np.array(["e", "b", "c", "a", "d"])
    model = alder.AlderClassifier().partial_fit(X[:1], names[y[:1]])
    assert model.classes_.tolist() == ["a"] and model.predict(X[:5]).tolist() == ["a"] * 5
    assert model.predict_proba(X[:5]).tolist() == [[1.0]] * 5 and model.decision_function(X[:5]).shape == (5,)
    for end, known in ((2, ["a", "b"]), (300, ["a", "b", "d"]), (600, ["a", "b", "d", "e"]), (900, ["a", "b", "c", "d", "e"])):
        model.partial_fit(X[model.t_:end], names[y[model.t_:end]])
        assert model.classes_.tolist() == known
        shares = model.predict_proba(X)
        assert shares.shape == (900, len(known))
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))
        if len(known) > 2:
            np.testing.assert_array_equal(model.decision_function(X).argmax(axis=1), shares.argmax(axis=1))
    assert (model.predict(X) == names[y]).mean() > 0.9


def test_classes_that_are_declared_and_not_met_have_no_probability(four_rings):
    X, y = four_rings
    kept = np.isin(y, [1, 3])
    model = alder.AlderClassifier().partial_fit(X[kept], y[kept], classes=[0, 1, 2, 3])
    assert model.classes_.tolist() == [0, 1, 2, 3]
    shares, scores = model.predict_proba(X), model.decision_function(X)
    assert shares[:, [0, 2]].max() == 0.0 and set(model.predict(X)) == {1, 3}
    np.testing.assert_array_equal(scores.argmax(axis=1), model.predict(X))
    np.testing.assert_array_equal(scores[:, 3] - scores[:, 1],
                                  alder.AlderClassifier().partial_fit(X[kept], y[kept]).decision_function(X))
    model.partial_fit(X, y, classes=[5])
    assert model.classes_.tolist() == [0, 1, 2, 3, 5] and model.score(X, y) > 0.9
    # Nothing was learned of any class.
    nothing = alder.AlderClassifier().partial_fit(X[:4], y[:4], classes=range(4), sample_weight=np.zeros(4))
    np.testing.assert_array_equal(nothing.predict_proba(X[:3]), np.full((3, 4), 0.25))
    assert nothing.predict(X[:3]).tolist() == [0, 0, 0]


def test_labels_of_rows_without_weight_are_not_met(four_rings):
    X, y = four_rings
    model = alder.AlderClassifier().partial_fit(X[y < 3], y[y < 3])
    before = encoded(model)
    model.partial_fit(X[y == 3], y[y == 3], sample_weight=np.zeros((y == 3).sum()))
    assert encoded(model) == before and model.classes_.tolist() == [0, 1, 2]
    weights = (y < 3).astype(float)
    assert encoded(model.partial_fit(X, y, sample_weight=weights)) == encoded(
        alder.AlderClassifier().partial_fit(X[y < 3], y[y < 3]).partial_fit(X[y < 3], y[y < 3]))


def test_labels_that_are_none_are_refused(four_rings):
    X, y = four_rings
    with pytest.raises(ValueError, match="continuous"):
        alder.AlderClassifier().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="1d array"):
        alder.AlderClassifier().fit(X, np.column_stack([y > 1, y > 2]).astype(int))
    with pytest.raises(ValueError, match="only 1 class"):
        alder.AlderClassifier().fit(X, np.ones(len(y)))
    begun = alder.AlderClassifier()
    with pytest.raises(ValueError, match="label 0; expected labels that are text"):
        begun.partial_fit(X, y, classes=["a", "b"])
    assert not hasattr(begun, "classes_")
    begun.partial_fit(X, y)
    with pytest.raises(ValueError, match="label 'a'; expected labels that are numbers"):
        begun.partial_fit(X[:2], ["a", "b"])
    with pytest.raises(alder.Error, match="two classes are called '1'"):
        alder.AlderClassifier().partial_fit(X[:2], ["1", "1.0"])
    assert begun.classes_.tolist() == [0, 1, 2, 3] and begun.t_ == len(y)


def test_numbers_are_the_same_label_whatever_their_type(four_rings):
    X, y = four_rings
    model = alder.AlderClassifier()
    for part, kind in zip(np.array_split(np.arange(3000), 3), (np.int64, np.float64, np.uint8)):
        model.partial_fit(X[part], y[part].astype(kind))
    assert encoded(model) == encoded(alder.AlderClassifier().partial_fit(X, y))
    assert model.partial_fit(X[:1], np.array([9.0])).classes_.tolist() == [0, 1, 2, 3, 9]


def test_copies_of_models_with_late_classes_go_on_alike(tmp_path):
    X, y = late_labels()
    model = alder.AlderClassifier().partial_fit(X[:500], y[:500])
    alder.save(model, tmp_path / "model")
    wanted = encoded(copy.deepcopy(model).partial_fit(X[500:], y[500:]))
    for same in (pickle.loads(pickle.dumps(model)), alder.load(tmp_path / "model"), model):
        assert same.classes_.tolist() == [0, 1, 3, 4]
        np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))
        assert encoded(same.partial_fit(X[500:], y[500:])) == wanted
        assert same.classes_.tolist() == [0, 1, 2, 3, 4] and (same.predict(X) == y).mean() > 0.9
    assert not hasattr(clone(model), "classes_")


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_calibrated(classes):
    X, y, truth = noisy_rows(30000, seed=5)
    if classes == 2:
        y, truth = np.minimum(y, 1), np.column_stack([truth[:, 0], truth[:, 1:].sum(axis=1)])
    model = alder.AlderClassifier().partial_fit(X[:20000], y[:20000])
    X, y, truth = X[20000:], y[20000:], truth[20000:]
    shares = model.predict_proba(X)
    largest, right = shares.max(axis=1), shares.argmax(axis=1) == y
    bins = np.digitize(largest, np.linspace(0.1, 0.9, 9))
    for b in np.unique(bins):
        if (bins == b).sum() >= 500:
            assert abs(largest[bins == b].mean() - right[bins == b].mean()) < 0.05
    assert np.abs(shares - truth).mean() < 0.05
    assert log_loss(y, shares) < log_loss(y, truth) + 0.03
    assert model.stats_["calibration_error"] < 0.05


def test_probabilities_can_be_left_out(four_rings, tmp_path):
    X, y = four_rings
    plain, learned = alder.AlderClassifier(probabilities=False).fit(X, y), alder.AlderClassifier().fit(X, y)
    np.testing.assert_array_equal(plain.decision_function(X), learned.decision_function(X))
    assert not hasattr(plain, "predict_proba") and not hasattr(alder.AlderClassifier(probabilities=False), "predict_log_proba")
    assert hasattr(learned, "predict_proba") and hasattr(alder.AlderClassifier(), "predict_proba")
    with pytest.raises(AttributeError) as raised:
        plain.predict_proba(X)
    assert "probabilities=True" in str(raised.value.__cause__)
    assert "log_loss" in learned.stats_ and "log_loss" not in plain.stats_
    alder.save(plain, tmp_path / "model")
    loaded = alder.load(tmp_path / "model")
    assert loaded.probabilities is False and not hasattr(loaded, "predict_proba")
    with pytest.raises(alder.Error, match="does not learn"):
        plain.set_decision_threshold(0.5)


@pytest.mark.parametrize("classes", [2, 4])
def test_metrics_are_those_of_the_predictions_before_learning(classes):
    X, y = ring_rows(2500, seed=6, classes=classes)
    flip = np.random.default_rng(1).random(2500) < 0.1
    y[flip] = (y[flip] + 1) % classes
    names = np.array(["d", "a", "c", "b"])[y]
    curve = alder.progressive(X, names, alder.AlderClassifier())
    stats = curve.estimator.stats_
    held = {"bytes": None}  # room for more rows
    assert {**stats, **held} == {**alder.AlderClassifier(shuffle=False).fit(X, names).stats_, **held}
    np.testing.assert_array_equal(curve.mistakes[1:], 1 + np.cumsum(curve.predicted[1:] != names[1:]))
    assert stats["mistakes"] == curve.mistakes[-1] and curve.mistake_rate[-1] == stats["error"]
    known = curve.probability > 0  # not the first row of a class, which the model cannot have known
    assert known.sum() >= 2500 - classes
    assert curve.log_loss[-1] == pytest.approx(-np.log(curve.probability[known]).mean()) == stats["log_loss"]
    assert np.nanmax(curve.log_loss[100:]) < 1.5 and (curve.score[classes:] >= 0).all() == (classes > 2)
    rest = slice(1, None)  # the first row has no prediction, only a label in its place
    recall = {name: (curve.predicted[rest][names[rest] == name] == name).sum() / (names == name).sum() for name in set(names)}
    assert stats["recall"] == pytest.approx(recall)
    assert stats["balanced_error"] == pytest.approx(1 - np.mean(list(recall.values())))
    assert stats["kappa"] == pytest.approx(cohen_kappa_score(names[rest], curve.predicted[rest]), abs=0.01)
    confusion = {(actual, predicted): rows for actual, predicted, rows in stats["confusion"]}
    assert sum(confusion.values()) == 2500 and confusion[names[0], None] == 1
    assert confusion["a", "d"] == ((names == "a") & (curve.predicted == "d"))[rest].sum()
    assert ("auc" in stats) == ("f1" in stats) == (classes == 2)
    if classes == 2:
        own = np.where(names == "d", curve.probability, 1 - curve.probability)[known]
        assert stats["brier"] == pytest.approx(brier_score_loss(names[known] == "d", own))


def test_a_classifier_of_more_classes_has_no_coefficients_of_one_score(four_rings):
    with pytest.raises(AttributeError, match="a score for each of 4 classes"):
        alder.AlderClassifier().fit(*four_rings).dual_coef_


def test_small_batches_of_many_classes_warn_of_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), np.repeat(np.arange(60), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = alder.AlderClassifier()
        for part in np.array_split(np.arange(120), 4):
            model.partial_fit(X[part], y[part])
    assert len(model.classes_) == 60
