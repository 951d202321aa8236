"""Regressors as scikit-learn and River want them, and as files and the program know them."""
import copy
import json
import os
import pickle
import subprocess
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import alder

ALDER = os.environ.get("ALDER")
REGRESSORS = [value for name, value in vars(alder).items() if name.endswith("Regressor") and name != "KernelRegressor"]
by_name = pytest.mark.parametrize("cls", REGRESSORS, ids=lambda cls: cls.__name__)

# What scikit-learn exempts its own SGDRegressor from, too; and test_tables.py has what holds of columns.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "a larger step is not the same as several steps",
    "check_sample_weight_equivalence_on_sparse_data": "a larger step is not the same as several steps",
    "check_dataframe_column_names_consistency": "columns are matched by name, so their order does not matter",
}


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(3000, noise=1.0, random_state=0)


def test_every_learner_with_a_loss_of_numbers_has_a_class():
    assert {cls._learner for cls in REGRESSORS} == {learner["name"] for learner in alder._alder.learners()
                                                    if learner["traits"]["learns_numbers"]}


@by_name
def test_passes_every_check_of_scikit_learn(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(cls(), expected_failed_checks=EXPECTED)
    failed = {result["check_name"] for result in results if result["status"] not in ("passed", "skipped")}
    assert failed <= set(EXPECTED)


def test_alder_needs_no_option(friedman):
    X, y = friedman
    model = alder.AlderRegressor().fit(X[:2000], y[:2000] * 1e5 + 1e7)
    assert model.score(X[2000:], y[2000:] * 1e5 + 1e7) > 0.94
    assert set(np.argsort(model.feature_importances_)[-5:]) == set(range(5))  # the others are noise
    values, intervals = model.predict(X[2000:], return_interval=0.9)
    inside = np.mean((intervals[:, 0] <= y[2000:] * 1e5 + 1e7) & (y[2000:] * 1e5 + 1e7 <= intervals[:, 1]))
    assert 0.84 < inside < 0.96 and np.all(intervals[:, 0] <= values) and np.all(values <= intervals[:, 1])
    quantiles = model.predict_quantiles(X[2000:], [0.05, 0.5, 0.95])
    np.testing.assert_array_equal(quantiles[:, [0, 2]], intervals)
    both = model.predict(X[2000:], return_interval=0.9, return_std=True)
    np.testing.assert_array_equal(both[0], values)
    assert np.all(both[2] > 0.5e5) and np.all(both[2] < 3e5)
    for wrong in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match="return_interval"):
            model.predict(X, return_interval=wrong)
    with pytest.raises(ValueError, match="levels"):
        model.predict_quantiles(X, [0.0, 0.5])


@by_name
def test_batches_copies_and_files_make_no_difference(cls, friedman, tmp_path):
    X, y = friedman
    whole, parts = cls().partial_fit(X, y), cls()
    for first in range(0, len(y), 700):
        parts.partial_fit(X[first:first + 700], y[first:first + 700])
    expected = whole.predict(X[:50], return_interval=0.8)
    alder.save(whole, tmp_path / "model")
    for other in (parts, pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole), alder.load(tmp_path / "model")):
        assert type(other) is cls and other.t_ == len(y)
        for a, b in zip(other.predict(X[:50], return_interval=0.8), expected):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(whole.predict(scipy.sparse.csr_matrix(X[:50])), expected[0])
    loaded = alder.load(tmp_path / "model").partial_fit(X, y)
    np.testing.assert_array_equal(loaded.predict(X[:50]), whole.partial_fit(X, y).predict(X[:50]))
    assert clone(loaded).get_params() == loaded.get_params()


@pytest.mark.skipif(not ALDER, reason="$ALDER, the program's path, is not set")
def test_the_program_predicts_the_same(friedman, tmp_path):
    X, y = friedman
    model = alder.AlderRegressor(shuffle=False).fit(X, y)
    alder.save(model, tmp_path / "model")
    rows = tmp_path / "rows.csv"
    np.savetxt(rows, np.column_stack([y, X]), delimiter=",", fmt="%.17g")
    trained = subprocess.run([ALDER, "train", rows, "--label", "1", "--quiet", "--json", "-o", tmp_path / "other"], check=True,
                             capture_output=True, text=True)
    assert json.loads(trained.stdout)["task"] == "numbers"
    assert json.loads(trained.stdout)["rmse"] == pytest.approx(model.stats_["rmse"], rel=1e-12)
    loaded = alder.load(tmp_path / "other")
    np.testing.assert_array_equal(loaded.predict(X[:50]), model.predict(X[:50]))
    said = subprocess.run([ALDER, "predict", tmp_path / "other", rows, "--label", "1", "--quiet"], check=True, capture_output=True,
                          text=True)
    np.testing.assert_array_equal([float(line) for line in said.stdout.split()][:50], model.predict(X[:50]))


def test_weights_of_rows(friedman):
    X, y = friedman
    weights = np.ones(len(y))
    weights[::3] = 0.0
    left_out = alder.AlderRegressor(shuffle=False).fit(X, y + 100.0 * (weights == 0), sample_weight=weights)
    without = alder.AlderRegressor(shuffle=False).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(left_out.predict(X), without.predict(X))
    with pytest.raises(ValueError, match="all sample weights are zero"):
        alder.AlderRegressor().fit(X, y, sample_weight=np.zeros(len(y)))


def test_losses_and_targets_that_are_none(friedman):
    X, y = friedman
    high = alder.FogdRegressor(loss="quantile", loss_parameter=0.9, scale="online").fit(X, y)
    assert 0.75 < np.mean(y < high.predict(X)) < 0.98
    counts = np.random.RandomState(0).poisson(np.exp(X[:, 0]))
    assert np.all(alder.FogdRegressor(loss="poisson").fit(X, counts).predict(X) > 0.0)
    with pytest.raises(ValueError, match="loss is 'hinge', which is of classes"):
        alder.FogdRegressor(loss="hinge").fit(X, y)
    with pytest.raises(ValueError, match="loss is 'squared', which is of numbers"):
        alder.FogdClassifier(loss="squared").fit(X, y > 10)
    with pytest.raises(ValueError, match="number"):
        alder.AlderRegressor().fit(X[:3], np.array(["a", "b", "c"]))
    with pytest.raises(ValueError):
        alder.AlderRegressor().fit(X[:3], [1.0, np.nan, 2.0])
    with pytest.raises(TypeError, match="stats_"):
        alder.progressive(X, y, alder.AlderRegressor())


def test_works_in_pipelines_and_searches(friedman):
    X, y = friedman
    search = GridSearchCV(make_pipeline(StandardScaler(), alder.OgdRegressor()), {"ogdregressor__sigma": [0.5, 2.0]}, cv=2)
    assert search.fit(X[:800], y[:800]).best_params_["ogdregressor__sigma"] == 2.0


def test_explanations_add_up(friedman):
    X, y = friedman
    model = alder.AlderRegressor().fit(X, y)
    for one, value in zip(model.explain(X[:5], top=0), model.predict(X[:5])):
        assert one["value"] == one["score"] == value and "towards" not in one
        total = sum(row["contribution"] for row in one["stored_rows"])
        size = sum(abs(row["contribution"]) for row in one["stored_rows"])
        assert one["rest"] + total == pytest.approx(value, abs=1e-4 * (1.0 + size))


def test_tables(tmp_path):
    pandas = pytest.importorskip("pandas")
    generator = np.random.RandomState(0)
    job = generator.choice(["nurse", "welder", "cook"], 1500)
    age = generator.uniform(18, 65, 1500)
    age[::10] = np.nan
    pay = 1000.0 * (job == "welder") + 20.0 * np.nan_to_num(age, nan=40.0) + generator.normal(size=1500)
    model = alder.AlderRegressor().fit(pandas.DataFrame({"job": job, "age": age}), pay)
    assert model.columns_ == {"job": "category", "age": "number"}
    assert model.score(pandas.DataFrame({"age": age, "job": job}), pay) > 0.99
    alder.save(model, tmp_path / "model")
    assert alder.load(tmp_path / "model").predict([{"job": "cook", "age": 30.0}])[0] == pytest.approx(600.0, abs=60.0)


def test_river(friedman):
    pytest.importorskip("river")
    from river import metrics

    import alder.river

    X, y = friedman
    columns = [f"x{j}" for j in range(X.shape[1])]
    model, arrays = alder.river.Regressor(), alder.AlderRegressor().partial_fit(X, y)
    assert model.predict_one(dict.fromkeys(columns, 0.0)) == 0.0
    metric = metrics.RMSE()
    for x, target in zip(X, y):
        row = dict(zip(columns, x.tolist()))
        metric.update(target, model.predict_one(row))
        model.learn_one(row, target)
    assert model._model.encode() == arrays._model.encode()
    assert model.stats_["rmse"] == pytest.approx(arrays.stats_["rmse"]) and metric.get() < 2.0
    row = dict(zip(columns, X[0].tolist()))
    low, high = model.predict_interval_one(row, 0.9)
    assert low < model.predict_one(row) < high
    with pytest.raises(ValueError, match="share"):
        model.predict_interval_one(row, 90)
    with pytest.raises(ValueError, match="learner"):
        alder.river.Regressor("pomdr")
    assert model.clone().predict_one(row) == 0.0


@by_name
def test_passes_every_check_of_river(cls):
    pytest.importorskip("river")
    from river import checks

    import alder.river

    checks.check_estimator(alder.river.Regressor(cls._learner))
