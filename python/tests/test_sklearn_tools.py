"""scikit-learn's searches, scorers and ensembles with classifiers of this package, of two and of more classes."""
import numpy as np
import pytest
import sklearn
from conftest import ring_rows
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import alder


@pytest.fixture(scope="module")
def three_rings():
    X, y = ring_rows(1500, seed=3, classes=3)
    return X, np.array(["outer", "inner", "middle"])[y]


def test_scorers_of_probabilities(three_rings):
    X, y = three_rings
    scores = cross_validate(alder.AlderClassifier(), X, y, cv=3, scoring=["neg_log_loss", "roc_auc_ovr", "roc_auc_ovo", "accuracy"])
    assert scores["test_neg_log_loss"].mean() > -0.25
    assert scores["test_roc_auc_ovr"].mean() > 0.99 and scores["test_roc_auc_ovo"].mean() > 0.99
    assert scores["test_accuracy"].mean() > 0.95
    two = y != "middle"
    scores = cross_validate(alder.AlderClassifier(), X[two], y[two] == "inner", cv=3, scoring=["neg_brier_score", "roc_auc", "f1"])
    assert scores["test_neg_brier_score"].mean() > -0.05 and scores["test_roc_auc"].mean() > 0.99
    digits = load_digits(return_X_y=True)
    assert cross_val_score(alder.AlderClassifier(), *digits, cv=3, scoring="neg_log_loss").mean() > -0.35


@pytest.mark.parametrize("shuffle", [True, False])
def test_boosting_gives_rows_weights(shuffle, three_rings):
    X, y = three_rings
    noisy = np.where(np.random.default_rng(0).random(len(y)) < 0.1, "outer", y)
    boosted = AdaBoostClassifier(alder.AlderClassifier(shuffle=shuffle), n_estimators=5, random_state=0).fit(X, noisy)
    assert len(boosted.estimators_) == 5 and boosted.score(X, y) > 0.9
    first, second = (model.predict(X) for model in boosted.estimators_[:2])
    assert (first != second).any()  # the same rows with other weights


def test_ensembles(three_rings):
    X, y = three_rings
    members = [("alder", alder.AlderClassifier()), ("line", LogisticRegression())]
    assert StackingClassifier(members, LogisticRegression()).fit(X, y).score(X, y) > 0.95
    soft = VotingClassifier(members, voting="soft").fit(X, y)
    np.testing.assert_allclose(soft.predict_proba(X), np.mean([model.predict_proba(X) for model in soft.estimators_], axis=0))
    assert BaggingClassifier(alder.AlderClassifier(), n_estimators=3, random_state=0).fit(X, y).score(X, y) > 0.95
    assert OneVsRestClassifier(alder.AlderClassifier()).fit(X, y).score(X, y) > 0.95


def test_searches(three_rings):
    X, y = three_rings
    pipeline = make_pipeline(StandardScaler(), alder.AlderClassifier())
    grid = {"alderclassifier__sigma": [0.3, 100.0], "alderclassifier__class_weight": [None, "balanced", {"outer": 2.0}]}
    search = GridSearchCV(pipeline, grid, cv=3, scoring="neg_log_loss", n_jobs=2).fit(X, y)
    assert search.best_params_["alderclassifier__sigma"] == 0.3
    assert search.predict_proba(X).shape == (1500, 3)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Recorder(alder.AlderClassifier):
    """Keeps the weights that reach it."""

    def fit(self, X, y, sample_weight=None):
        self.weights_ = None if sample_weight is None else np.asarray(sample_weight)
        return super().fit(X, y, sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return super().partial_fit(X, y, classes, sample_weight)


def test_weights_are_routed(routing, three_rings):
    X, y = three_rings
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    model = Recorder().set_fit_request(sample_weight=True).set_partial_fit_request(sample_weight=True, classes=True)
    assert model.get_metadata_routing().partial_fit.requests == {"sample_weight": True, "classes": True}
    pipeline = Pipeline([("scale", StandardScaler().set_fit_request(sample_weight=False)), ("learn", model)])
    pipeline.fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline["learn"].weights_, weights)
    scorer = get_scorer("neg_log_loss").set_score_request(sample_weight=True)
    search = GridSearchCV(pipeline, {"learn__noise": [0.1, 1.0]}, cv=3, scoring=scorer).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(search.best_estimator_["learn"].weights_, weights)
    asked = Pipeline([("learn", Recorder().set_fit_request(sample_weight=False))])
    with pytest.raises(TypeError):
        asked.fit(X, y, sample_weight=weights)
    weighted = cross_val_score(pipeline, X, y, cv=3, scoring=scorer, params={"sample_weight": weights})
    assert weighted.mean() > -0.25


def test_clones_keep_every_parameter():
    model = alder.AlderClassifier(class_weight={"a": 2.0}, probabilities=False, budget=50, shuffle=False)
    assert clone(model).get_params() == model.get_params()
