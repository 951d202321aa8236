"""The classifiers and transformers as scikit-learn wants them."""
import copy
import inspect
import io
import json
import pickle
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse
from conftest import CLASSIFIERS, KERNEL_CLASSIFIERS, WEIGHTED_CLASSIFIERS, ring_rows
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import alder

by_name = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)


# What scikit-learn exempts its own SGDClassifier from, too.
ONLINE = dict.fromkeys(["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
                       "a larger step is not the same as several steps")
WITHOUT_WEIGHTS = dict.fromkeys(["check_sample_weights_list", "check_sample_weights_not_overwritten",
                                 "check_class_weight_classifiers"], "has no place for weights, and says so")
# It learns 50 rows; test_class_weights_decide_where_nothing_else_does takes 200. AlderClassifier passes it.
FEW_ROWS = {"check_class_weight_classifiers": "of fewer than 64 rows the nearest one decides, whatever its weight; without a "
                                              "kernel 50 rows are too few steps"}
# It wants the same order by probability as by score.
ORDERS = {alder.AlderClassifier: "its probabilities are made of a second function, too",
          alder.PegasosClassifier: "after 80 rows, of which 64 had other scores, the calibration is still upside down, and "
                                   "both classes have 1/2"}

# The check takes one seed, 0. Of 400 seeds, 14 give BAO2KS less than the 83 % that it wants, with any width; see
# test_bao2ks_learns_the_blobs_of_the_check.
UNLUCKY = {"check_classifiers_train": "its last function without the hint varies with the seed after 200 rows"}

# test_tables.py has what of it holds.
BY_NAME = {"check_dataframe_column_names_consistency": "columns are matched by name, so their order does not matter"}


def expected_failures(cls):
    if cls not in CLASSIFIERS:
        return {}
    weights = WITHOUT_WEIGHTS if cls not in WEIGHTED_CLASSIFIERS else {} if cls is alder.AlderClassifier else FEW_ROWS
    return {**ONLINE, **BY_NAME, **weights,
            **({"check_decision_proba_consistency": ORDERS[cls]} if cls in ORDERS else {}),
            **(UNLUCKY if cls is alder.Bao2ksClassifier else {})}


@pytest.mark.parametrize("cls", [*CLASSIFIERS, alder.RandomFourierFeatures, alder.NystromFeatures],
                         ids=lambda cls: cls.__name__)
def test_passes_every_check_of_scikit_learn(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(cls(), expected_failed_checks=expected_failures(cls))
    failed = {result["check_name"] for result in results if result["status"] not in ("passed", "skipped")}
    assert failed <= set(expected_failures(cls))


@pytest.mark.parametrize("cls", WEIGHTED_CLASSIFIERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("centers", [2, 3])
def test_class_weights_decide_where_nothing_else_does(cls, centers):
    X, y = make_blobs(400, centers=centers, random_state=0, cluster_std=20)
    model = cls(class_weight={0: 1000, 1: 0.0001, 2: 0.0001}).fit(X[:200], y[:200])
    assert np.mean(model.predict(X[200:]) == 0) > 0.87
    model = cls(class_weight={0: 0.0001, 1: 1000, 2: 0.0001}).fit(X[:200], y[:200])
    assert np.mean(model.predict(X[200:]) == 1) > 0.87


def test_bao2ks_learns_the_blobs_of_the_check():
    X, y = make_blobs(n_samples=300, random_state=0)
    X, y = StandardScaler().fit_transform(X)[y != 2], y[y != 2]
    scores = [alder.Bao2ksClassifier(random_state=seed).fit(X, y).score(X, y) for seed in range(40)]
    assert np.median(scores) > 0.93 and np.mean(np.array(scores) > 0.83) > 0.9


@by_name
def test_learns_what_no_line_separates(cls, rings):
    X, y = rings
    score = cls().fit(X, y).score(*ring_rows(500, seed=9))
    if cls is alder.LinearClassifier:
        assert score < 0.75
    else:
        assert score > 0.95


@by_name
def test_signature_is_real_and_documented(cls):
    parameters = inspect.signature(cls.__init__).parameters
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    for name in list(parameters)[1:]:
        assert f"\n    {name} : " in cls.__doc__
    assert clone(cls(verbose=1)).get_params()["verbose"] == 1


def test_the_classes_are_what_the_registry_gives():
    import pathlib
    tool = pathlib.Path(__file__).parent.parent / "tools" / "generate_estimators.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@by_name
def test_copies_are_exact_and_go_on_alike(cls, rings):
    X, y = rings
    original = cls().partial_fit(X[:1000], y[:1000])
    buffer = io.BytesIO()
    joblib.dump(original, buffer)
    buffer.seek(0)
    for same in (pickle.loads(pickle.dumps(original)), copy.deepcopy(original), joblib.load(buffer)):
        same.partial_fit(X[1000:1500], y[1000:1500])
        rest = copy.deepcopy(original).partial_fit(X[1000:1500], y[1000:1500])
        np.testing.assert_array_equal(same.decision_function(X), rest.decision_function(X))
        assert same.stats_ == rest.stats_


@by_name
def test_layouts_and_types_agree(cls, sparse_rows):
    X, y = sparse_rows
    X = X.astype(np.float32).astype(np.float64)
    learned = cls(shuffle=False).fit(X, y)
    expected = learned.decision_function(X)
    frozen = X.toarray()
    frozen.setflags(write=False)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    unsorted = X.copy()
    for i in range(X.shape[0]):
        unsorted.indices[X.indptr[i]:X.indptr[i + 1]] = X.indices[X.indptr[i]:X.indptr[i + 1]][::-1]
        unsorted.data[X.indptr[i]:X.indptr[i + 1]] = X.data[X.indptr[i]:X.indptr[i + 1]][::-1]
    unsorted.has_sorted_indices = False
    unsorted.has_canonical_format = False
    for same in (frozen, np.asfortranarray(frozen), frozen.astype(np.float32), X.astype(np.float32), wide, unsorted,
                 scipy.sparse.csr_array(X), X.tocsc()):
        if scipy.sparse.issparse(same):
            learned_again = cls(shuffle=False).fit(same, y)
            np.testing.assert_array_equal(learned_again.decision_function(same), expected)
        else:
            np.testing.assert_array_equal(cls(shuffle=False).fit(same, y).decision_function(same), expected)


def test_memory_mapped_rows(tmp_path, rings):
    X, y = rings
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    a, b = alder.PomdrClassifier().fit(mapped, y), alder.PomdrClassifier().fit(X, y)
    np.testing.assert_array_equal(a.decision_function(mapped), b.decision_function(X))


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (1, 2), ("no", "yes"), (False, True), (2.0, 7.0)])
def test_any_two_labels(labels, rings):
    X, y = rings
    names = np.array(labels)[y]
    learned = alder.PomdrClassifier().fit(X, names)
    np.testing.assert_array_equal(learned.classes_, np.unique(names))
    assert learned.score(X, names) > 0.97
    assert ((learned.decision_function(X) >= 0) == (learned.predict(X) == learned.classes_[1])).all()


def test_parameters_that_make_no_sense_are_refused(rings):
    X, y = rings
    for parameters, words in (({"budget": 401}, "even number"), ({"sigma": -1.0}, "sigma"), ({"sigma": "wide"}, "sigma"),
                              ({"kernel": "rbf"}, "kernel"), ({"precision": "half"}, "precision"),
                              ({"zeta": 2.0}, "zeta"), ({"budget": "many"}, "budget")):
        with pytest.raises(ValueError, match=words):
            alder.PomdrClassifier(**parameters).fit(X, y)
    with pytest.raises(ValueError, match="fourier|Fourier|gaussian"):
        alder.FogdClassifier(kernel="linear").fit(X, y)


def test_names_of_columns(rings):
    pandas = pytest.importorskip("pandas")
    X, y = rings
    learned = alder.PomdrClassifier().fit(pandas.DataFrame(X, columns=["east", "north"]), y)
    assert list(learned.feature_names_in_) == ["east", "north"]
    assert learned.n_features_in_ == 2


def test_the_stored_rows_give_the_scores(rings):
    X, y = rings
    for cls in (alder.OgdClassifier, alder.PerceptronClassifier, alder.PegasosClassifier):
        learned = cls(sigma=0.5, precision="double").fit(X, y)
        S, a = learned.support_vectors_.toarray(), learned.dual_coef_
        assert S.shape == (learned.n_support_, 2) and a.shape == (1, learned.n_support_)
        distances = ((X[:50, None, :] - S[None, :, :]) ** 2).sum(axis=2)
        np.testing.assert_allclose(learned.decision_function(X[:50]), (np.exp(-distances / 0.5) @ a.T).ravel(), rtol=1e-9)
    for cls in (alder.FogdClassifier, alder.NogdClassifier, alder.SkegdClassifier, alder.LinearClassifier):
        with pytest.raises(AttributeError, match="does not score by"):
            cls().fit(X, y).dual_coef_


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize("options", [{}, {"sigma": 0.5}], ids=str)
def test_as_many_rows_are_stored_as_are_reported(cls, options):
    if options and cls is alder.LinearClassifier:
        pytest.skip("it has no kernel")
    X, y = ring_rows(5000, seed=3)
    model = cls(**options)
    learned = 0
    for cut in (10, 40, 200, 1000, 5000):  # ALDER collects rows, then compares candidates, then goes on with the best
        model.partial_fit(X[learned:cut], y[learned:cut], classes=[0, 1])
        learned = cut
        stored = model.support_vectors_
        assert stored.shape == (model.n_support_, 2)
        metric = model.stats_["metric"]
        if metric and (metric["transform"] != "raw" or metric["is_scaled"]):
            continue  # rows are stored as the metric sees them
        known = {tuple(row) for row in np.concatenate([X[:cut], X[:cut].astype(np.float32)]).tolist()}
        assert all(tuple(row) in known for row in stored.toarray().tolist())


@by_name
@pytest.mark.parametrize("options, count", [({}, 64), ({"scale": "online"}, 128)], ids=str)
def test_the_first_rows_are_the_stored_ones_until_they_have_decided(cls, options, count, rings):
    if not options and cls in (alder.AlderClassifier, alder.LinearClassifier):
        pytest.skip("it leaves nothing to them")
    X, y = rings
    model = cls(**options)
    for part in (slice(0, 1), slice(1, count - 1)):
        model.partial_fit(X[part], y[part], classes=[0, 1])
        assert model.n_support_ == model.t_ == part.stop
        np.testing.assert_array_equal(model.support_vectors_.toarray(), X[:part.stop])
        assert model.stats_["sigma"] is None
        with pytest.raises(AttributeError, match="has no coefficients yet|does not score by coefficients"):
            model.dual_coef_
        # Each row is the nearest to itself.
        np.testing.assert_array_equal(model.predict(X[:part.stop]), y[:part.stop])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).support_vectors_.toarray(), X[:part.stop])
    model.partial_fit(X[count - 1:count], y[count - 1:count])
    assert model.t_ == count
    assert "first_rows.starts" not in model._model.tensors()
    if cls in (alder.OgdClassifier, alder.PegasosClassifier, alder.PomdrClassifier):
        assert model.stats_["sigma"] > 0
        assert model.dual_coef_.shape == (1, model.n_support_) == (1, model.support_vectors_.shape[0])


def test_stats(rings):
    X, y = rings
    learned = alder.PomdrClassifier(sigma=0.05, budget=200).fit(X, y)
    stats = learned.stats_
    assert stats["rounds"] == learned.t_ == 2000
    assert stats["switch_round"] < 2000 and stats["removals"] > 0 and stats["sum_delta"] > 0
    assert alder.FogdClassifier().fit(X, y).stats_["sum_delta"] is None


def test_pipeline_grid_search_and_cross_validation(rings):
    X, y = rings
    pipeline = make_pipeline(StandardScaler(), alder.PomdrClassifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.95
    search = GridSearchCV(pipeline, {"pomdrclassifier__sigma": [0.5, 100.0]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_ == {"pomdrclassifier__sigma": 0.5}
    features = make_pipeline(alder.RandomFourierFeatures(frequencies=200), SGDClassifier(random_state=0))
    assert cross_val_score(features, X, y, cv=3).mean() > 0.95
    features = make_pipeline(alder.NystromFeatures(rows=100), SGDClassifier(random_state=0))
    assert cross_val_score(features, X, y, cv=3).mean() > 0.95


def test_feature_maps_approximate_the_kernel(rings):
    X, _ = rings
    X = X[:100]
    K = np.exp(-((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2) / (2 * 0.7**2))
    fourier = alder.RandomFourierFeatures(frequencies=4000, sigma=0.7).fit_transform(X)
    assert fourier.shape == (100, 8000) and np.abs(fourier @ fourier.T - K).max() < 0.1
    nystrom = alder.NystromFeatures(rows=100, sigma=0.7, precision="double").fit_transform(X)
    np.testing.assert_allclose(nystrom @ nystrom.T, K, atol=1e-8)
    in_parts = alder.NystromFeatures(rows=60, sigma=0.7)
    for part in np.array_split(X, 7):
        in_parts.partial_fit(part)
    at_once = alder.NystromFeatures(rows=60, sigma=0.7).fit(X)
    np.testing.assert_array_equal(in_parts.transform(X), at_once.transform(X))


def test_alder_needs_no_option_and_says_what_it_chose(rings):
    X, y = rings
    model = alder.AlderClassifier().fit(X, y)
    stats = model.stats_
    assert model.score(X, y) > 0.99 and stats["mistakes"] < 30
    assert stats["sigma"] in [runner["sigma"] for runner in stats["race"]] and stats["tried"] >= 6
    assert stats["metric"]["kernel"] in ("gaussian", "laplacian-l1")
    given = alder.AlderClassifier(sigma=0.5).fit(X, y)
    assert given.stats_["sigma"] is None and given.stats_["race"] == [] and given.stats_["metric"] is None


def test_alder_tells_which_features_matter():
    generator = np.random.RandomState(3)
    X = generator.uniform(-1.0, 1.0, size=(3000, 8))
    y = (X[:, 2] * X[:, 5] > 0).astype(int)
    for options in ({}, {"effort": "low"}, {"sigma": 0.7}):
        shares = alder.AlderClassifier(**options).fit(X, y).feature_importances_
        assert shares.shape == (8,) and shares.sum() == pytest.approx(1.0)
        assert set(np.argsort(shares)[-2:]) == {2, 5}
    with pytest.raises(AttributeError, match="cannot tell which features matter"):
        alder.FogdClassifier().fit(X, y).feature_importances_


def test_alder_needs_no_scaling():
    generator = np.random.RandomState(4)
    X = generator.uniform(-1.0, 1.0, size=(4000, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    scales = np.array([1.0, 1e6, 1e-4, 1e3])
    mistakes = [alder.AlderClassifier().fit(rows, y).stats_["mistakes"] for rows in (X, X * scales)]
    assert mistakes[1] < 1.2 * mistakes[0] + 20


@pytest.mark.parametrize("cls", KERNEL_CLASSIFIERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("shuffle", [False, True])
def test_the_automatic_width_is_half_the_median_distance(cls, shuffle, rings):
    if cls is alder.AlderClassifier:
        pytest.skip("it finds a width in a race")
    X, y = rings
    order = np.random.RandomState(1).permutation(len(y)) if shuffle else np.arange(len(y))
    first = X[order[:64]]
    distances = np.sqrt(((first[:, None, :] - first[None, :, :]) ** 2).sum(axis=2))[np.triu_indices(64, 1)]
    model = cls(shuffle=shuffle, random_state=1).fit(X, y)
    assert model.stats_["sigma"] == pytest.approx(0.5 * np.median(distances), rel=1e-3)
    assert json.loads(model._model.options)["kernel"]["sigma"] == model.stats_["sigma"]
    # A row that is left out is none of the first ones.
    weights = np.ones(len(y))
    weights[:7] = 0.0
    left_out = cls(shuffle=False).fit(X, y, sample_weight=weights)
    assert left_out.stats_["sigma"] == cls(shuffle=False).fit(X[7:], y[7:]).stats_["sigma"] != model.stats_["sigma"]
    given = cls(sigma=model.stats_["sigma"], shuffle=shuffle, random_state=1).fit(X, y)
    np.testing.assert_array_equal(given.decision_function(X), model.decision_function(X))
