"""PomdrClassifier(batch=...): fixed functions, and files with them."""
import copy
import pickle

import numpy as np
import pytest
from conftest import ring_rows
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import alder

CHOICES = ["random", "last", "average"]


def next_score(model, X, y):
    """What the model says of one row just before it learns it, with the hint of the rows before; the model stays as it is."""
    scores, predicted, *others = np.empty(1), np.empty(1, dtype=np.uint32), *(np.empty(1) for _ in range(6))
    copy.deepcopy(model._model).trace(alder._alder.Rows.dense(X), y.astype(float), None, scores, predicted, *others)
    return scores[0]


@pytest.mark.parametrize("choice", CHOICES)
def test_learns_what_no_line_separates(choice, rings):
    model = alder.PomdrClassifier(batch=choice).fit(*rings)
    assert model.score(*ring_rows(500, seed=9)) > 0.95
    assert model.t_ == 2000
    assert cross_val_score(alder.PomdrClassifier(batch=choice), *rings, cv=3).mean() > 0.95


@pytest.mark.parametrize("precision", ["float", "double"])
def test_last_scores_as_the_learner_would_next(rings, precision):
    X, y = rings
    learned = alder.PomdrClassifier(precision=precision, sigma=0.5).fit(X, y)
    expected = [next_score(learned, X[i:i + 1], y[i:i + 1]) for i in range(50)]
    last = alder.PomdrClassifier(precision=precision, sigma=0.5, batch="last").fit(X, y).decision_function(X[:50])
    np.testing.assert_allclose(last, expected, atol=1e-10 if precision == "double" else 1e-4)
    without_hint = learned.decision_function(X[:50])
    assert np.abs(without_hint - expected).max() > 0.01


@pytest.mark.parametrize("choice", CHOICES)
def test_is_the_sum_over_its_rows(choice, rings):
    X, y = rings
    model = alder.PomdrClassifier(batch=choice, sigma=0.5, precision="double").fit(X, y)
    rows = model.support_vectors_.toarray()
    kernel = np.exp(-((X[:50, None, :] - rows[None]) ** 2).sum(axis=2) / (2 * 0.5 ** 2))
    np.testing.assert_allclose(kernel @ model.dual_coef_.ravel(), model.decision_function(X[:50]), atol=1e-9)


def test_random_state_draws_the_round(rings):
    X, y = rings
    scores = [alder.PomdrClassifier(batch="random", shuffle=False, random_state=seed).fit(X, y).decision_function(X[:5])
              for seed in (1, 1, 2, 3)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2]) or not np.array_equal(scores[0], scores[3])


@pytest.mark.parametrize("choice", CHOICES)
def test_survives_files_pickles_and_clones(choice, rings, tmp_path):
    X, y = rings
    model = alder.PomdrClassifier(batch=choice).fit(X, y)
    wanted = model.decision_function(X)
    path = tmp_path / "rings.model"
    alder.save(model, path)
    np.testing.assert_array_equal(alder.load(path).decision_function(X), wanted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), wanted)
    assert clone(model).batch == choice


def test_is_fixed_and_says_so(rings):
    X, y = rings
    model = alder.PomdrClassifier(batch="average").fit(X, y)
    with pytest.raises(ValueError, match="learns no more"):
        model.partial_fit(X, y)
    model.fit(X[:100], y[:100])  # begins anew
    assert model.t_ == 100


def test_partial_fit_is_online_whatever_batch_is(rings):
    X, y = rings
    model = alder.PomdrClassifier(batch="average").partial_fit(X, y).partial_fit(X, y)
    assert model.t_ == 4000


def test_refuses_other_names(rings):
    with pytest.raises(ValueError, match='no hypothesis "best"; expected one of random, last, average'):
        alder.PomdrClassifier(batch="best").fit(*rings)
