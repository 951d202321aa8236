"""Class weights, and the decision threshold of two classes."""
import copy
import pickle

import numpy as np
import pytest
from conftest import CLASSIFIERS, WEIGHTED_CLASSIFIERS, encoded, noisy_rows
from sklearn.metrics import balanced_accuracy_score

import alder


def rare_rows(count, seed):
    """Three classes that overlap, the third of them in 4 % of the rows."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, count, p=[0.68, 0.28, 0.04])
    return np.array([[0.0, 0.0], [1.5, 0.0], [0.75, 1.0]])[y] + rng.normal(0, 0.7, (count, 2)), y


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 1.2, 2: 8.0}], ids=str)
def test_class_weights_lower_the_balanced_error(class_weight, tmp_path):
    X, y = rare_rows(8000, seed=1)
    fresh, truth = rare_rows(4000, seed=2)
    plain = alder.AlderClassifier().fit(X, y)
    weighted = alder.AlderClassifier(class_weight=class_weight).fit(X, y)
    gain = balanced_accuracy_score(truth, weighted.predict(fresh)) - balanced_accuracy_score(truth, plain.predict(fresh))
    assert gain > 0.08
    assert weighted.stats_["balanced_error"] < plain.stats_["balanced_error"] - 0.08
    assert weighted.stats_["recall"][2] > plain.stats_["recall"][2] + 0.2
    alder.save(weighted, tmp_path / "model")
    loaded = alder.load(tmp_path / "model")
    assert loaded.class_weight == class_weight
    assert encoded(loaded.partial_fit(X[:500], y[:500])) == encoded(weighted.partial_fit(X[:500], y[:500]))


def test_factors_of_classes_are_factors_of_weights(four_rings):
    X, y = four_rings
    factors = {0: 2.0, 3: 0.5}
    given = alder.AlderClassifier(class_weight=factors).partial_fit(X, y)
    by_row = alder.AlderClassifier().partial_fit(X, y, sample_weight=np.array([2.0, 1.0, 1.0, 0.5])[y])
    np.testing.assert_array_equal(given.decision_function(X), by_row.decision_function(X))
    assert not np.array_equal(given.decision_function(X), alder.AlderClassifier().partial_fit(X, y).decision_function(X))
    # A key is its label by value, also if that comes late or from a file.
    for kind in (np.float64, np.uint8):
        late = alder.AlderClassifier(class_weight=factors).partial_fit(X[y != 3][:1], y[y != 3][:1].astype(kind))
        same = alder.AlderClassifier().partial_fit(X[y != 3][:1], y[y != 3][:1], sample_weight=[{**factors, 1: 1, 2: 1}[y[y != 3][0]]])
        late, same = late.partial_fit(X, y.astype(kind)), same.partial_fit(X, y, sample_weight=np.array([2.0, 1.0, 1.0, 0.5])[y])
        np.testing.assert_array_equal(late.decision_function(X), same.decision_function(X))


def test_a_class_weight_for_a_label_that_comes_after_loading(four_rings, tmp_path):
    X, y = four_rings
    first = y < 2
    model = alder.AlderClassifier(class_weight={3: 4.0}).partial_fit(X[first], y[first])
    alder.save(model, tmp_path / "model")
    loaded = alder.load(tmp_path / "model").partial_fit(X, y.astype(float))
    assert loaded.class_weight == {3: 4.0}
    np.testing.assert_array_equal(loaded.decision_function(X), model.partial_fit(X, y).decision_function(X))


def test_class_weights_that_make_no_sense_are_refused(rings):
    X, y = rings
    for class_weight, words in (("even", "'balanced' or a dict"), (3.0, "'balanced' or a dict"), ({0: -1.0}, "weight of class '0' is -1"),
                                ({0: np.nan}, "weight of class")):
        with pytest.raises(ValueError, match=words):
            alder.AlderClassifier(class_weight=class_weight).fit(X, y)
    for cls in CLASSIFIERS:
        for class_weight in ("balanced", {0: 2.0}):
            if cls in WEIGHTED_CLASSIFIERS:
                assert cls(class_weight=class_weight).fit(X, y).t_ == len(y)
            else:
                with pytest.raises(alder.Error, match="no place for weights"):
                    cls(class_weight=class_weight).fit(X, y)


@pytest.mark.parametrize("labels", [(0, 1), ("9", "10"), ("10", "9")], ids=str)
def test_the_decision_threshold_can_be_moved(labels, tmp_path):
    X, y, _ = noisy_rows(4000, seed=3)
    y = np.array(labels)[np.minimum(y, 1)]
    model = alder.AlderClassifier().fit(X, y)
    assert model.decision_threshold_ is None
    usual, share = model.predict(X), model.predict_proba(X)[:, 1]
    for threshold in (0.1, 0.8):
        assert model.set_decision_threshold(threshold) is model
        wanted = model.classes_[(share >= threshold).astype(int)]
        alder.save(model, tmp_path / "model")
        loaded = alder.load(tmp_path / "model")
        for same in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            np.testing.assert_array_equal(same.predict(X), wanted)
            assert same.decision_threshold_ == pytest.approx(threshold)
        if labels == (0, 1):
            np.testing.assert_array_equal(loaded.predict(X), wanted)
            assert loaded.decision_threshold_ == threshold
        np.testing.assert_array_equal(model.predict_proba(X)[:, 1], share)
        assert (wanted != usual).any()
    np.testing.assert_array_equal(model.set_decision_threshold(None).predict(X), usual)
    for bad in (-0.1, 1.5, float("nan")):
        with pytest.raises(alder.Error, match="expected a probability"):
            model.set_decision_threshold(bad)
    with pytest.raises(AttributeError, match="not learned anything"):
        alder.AlderClassifier().set_decision_threshold(0.5)


def test_a_threshold_ends_with_the_third_class():
    X, y, _ = noisy_rows(2000, seed=3)
    y = np.minimum(y, 1)
    model = alder.AlderClassifier().partial_fit(X, y).set_decision_threshold(0.9)
    usual = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert (model.predict(X) != usual).mean() > 0.1
    model.partial_fit(X[:1], y[:1], classes=[2])  # declared, not met
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])
    model.partial_fit(X[:1], [2])
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])
