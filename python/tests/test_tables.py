"""Tables with words, holes and dates: from any library they give the same rows as the program makes of the same file."""
import copy
import datetime
import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from conftest import CLASSIFIERS, encoded
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from test_stream import PROGRAM, needs_program

import alder

by_name = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)


def people(count=800, seed=3):
    """A table of all kinds of columns with holes, and labels that depend on words, numbers and holes."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, count).astype(float)
    job = rng.choice(["clerk", "baker", "pilot"], count)
    member = rng.random(count) < 0.5
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, count), unit="D")
    wage = rng.normal(30, 8, count).round(3)
    y = np.where((job == "pilot") ^ (age > 45) ^ (rng.random(count) < 0.05), "yes", "no")
    age[rng.random(count) < 0.1] = np.nan
    table = pd.DataFrame({"age": age, "job": job.astype(object), "member": member, "day": day, "wage": wage})
    table.loc[rng.random(count) < 0.1, "job"] = None
    table.loc[rng.random(count) < 0.1, "day"] = pd.NaT
    return table, pd.Series(y, name="answer")


def write(path, table, y=None):
    whole = table if y is None else table.assign(**{y.name: y})
    whole.to_csv(path, index=False)
    return path


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@by_name
def test_all_classifiers_learn_tables_and_predict_them(cls):
    table, y = people()
    model = cls(shuffle=False).fit(table, y)
    assert list(model.feature_names_in_) == list(table.columns) and model.n_features_in_ == 5
    assert model.columns_ == {"age": "number", "job": "category", "member": "boolean", "day": "time", "wage": "number"}
    assert model.predict(table).shape == y.shape and model.decision_function(table).shape == y.shape
    assert model.predict_proba(table).shape == (len(y), 2)
    assert model.score(table, y) > 0.5


def test_words_and_holes_are_learned():
    table, y = people(3000)
    model = alder.AlderClassifier().fit(table[:2000], y[:2000])
    assert model.score(table[2000:], y[2000:]) > 0.85
    assert "job=pilot" in model.encoded_feature_names_ and "age missing" in model.encoded_feature_names_
    assert len(model.feature_importances_) == len(model.encoded_feature_names_) == model.support_vectors_.shape[1]


def forms(table):
    """The same table as other libraries have it."""
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    missing = table.astype(object).where(table.notna(), None)
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    return {
        "nullable": table.convert_dtypes(),
        "arrow in pandas": table.convert_dtypes(dtype_backend="pyarrow"),
        "text": table.assign(job=table["job"].astype("string")),
        "polars": pl.from_pandas(table),
        "arrow": arrow,
        "arrow in parts": pa.concat_tables([arrow.slice(0, 100), arrow.slice(100)]),
        "batch": arrow.combine_chunks().to_batches()[0],
        "small": table.assign(member=table["member"].astype("boolean"), age=table["age"].astype(np.float32)),
        "fortran": table.copy(),
        "dicts": missing.to_dict("records"),
    }


def test_tables_of_all_libraries_are_the_same_rows():
    table, y = people(300)
    model = alder.AlderClassifier(shuffle=False).fit(table, y)
    expected = model.decision_function(table)
    for name, same in forms(table).items():
        np.testing.assert_array_equal(model.decision_function(same), expected, err_msg=name)
        again = alder.AlderClassifier(shuffle=False).fit(same, y)
        np.testing.assert_array_equal(again.decision_function(table), expected, err_msg=name)


def test_numbers_of_any_type_are_read():
    values = np.arange(40) % 7
    y = values > 3
    expected = alder.AlderClassifier(shuffle=False).fit(pd.DataFrame({"a": values.astype(float)}), y)
    for dtype in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 Int8 UInt32 Float32".split():
        same = alder.AlderClassifier(shuffle=False).fit(pd.DataFrame({"a": values}).astype(dtype), y)
        assert encoded(same) == encoded(expected), dtype


def test_categories_have_the_kind_that_their_type_says():
    table = pd.DataFrame({"code": pd.Categorical([3, 1, None, 3] * 20), "x": np.arange(80.0) % 5})
    model = alder.AlderClassifier().fit(table, np.arange(80) % 2)
    assert model.columns_ == {"code": "category", "x": "number"}
    assert {"code=1", "code=3", "code missing"} <= set(model.encoded_feature_names_)
    pl = pytest.importorskip("polars")
    other = pl.DataFrame({"code": ["a", "b", None, "a"] * 20}, schema={"code": pl.Categorical})
    assert alder.AlderClassifier().fit(other, np.arange(80) % 2).columns_ == {"code": "category"}


def test_text_and_identifiers_are_found():
    rng = np.random.default_rng(0)
    words = ["good", "bad", "fine", "poor", "day", "food", "place"]
    text = [" ".join(rng.choice(words, 6)) + f" {i}" for i in range(200)]
    table = pd.DataFrame({"review": text, "key": [f"k{i * 7919}" for i in range(200)]})
    y = np.array(["good" in one for one in text])
    model = alder.AlderClassifier().fit(table, y)
    assert model.columns_ == {"review": "text", "key": "ignore"}
    assert "review=good" in model.encoded_feature_names_
    np.testing.assert_array_equal(model.predict(table[["review"]]), model.predict(table))


def test_columns_can_be_given():
    table, y = people(200)
    model = alder.AlderClassifier(columns={"age": "category", "wage": "ignore"}).fit(table, y)
    assert model.columns_["age"] == "category" and model.columns_["wage"] == "ignore"
    assert clone(model).columns == {"age": "category", "wage": "ignore"}
    with pytest.raises(ValueError, match="columns names 'wages'; expected columns of the table, which has age, job"):
        alder.AlderClassifier(columns={"wages": "number"}).fit(table, y)
    with pytest.raises(ValueError, match="expected number, category, boolean, time, text or ignore"):
        alder.AlderClassifier(columns={"wage": "numbers"}).fit(table, y)
    X = np.column_stack([np.arange(90) % 3, np.arange(90) / 90])
    model = alder.AlderClassifier(columns={0: "category"}).fit(X, np.arange(90) % 3 == 1)
    assert "column 1=2" in model.encoded_feature_names_ and model.predict(X).shape == (90,)


def test_columns_are_matched_by_name():
    table, y = people(300)
    model = alder.AlderClassifier().fit(table, y)
    expected = model.decision_function(table)
    np.testing.assert_array_equal(model.decision_function(table[table.columns[::-1]].assign(more="x")), expected)
    with pytest.raises(ValueError, match="no column 'job'; expected all columns of the model"):
        model.predict(table.drop(columns="job"))
    without = [{name: value for name, value in row.items() if name != "job"} for row in table.to_dict("records")]
    np.testing.assert_array_equal(model.decision_function(without), model.decision_function(table.assign(job=None)))
    with pytest.raises(ValueError, match="no column 'age'"):
        model.predict([{"ages": 3.0}])
    with pytest.raises(ValueError, match="two columns are called 'age'"):
        model.predict(table.rename(columns={"wage": "age"}))


def test_numeric_frames_keep_their_names():
    X = np.random.default_rng(1).normal(size=(200, 3))
    y = X[:, 0] > 0
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = alder.AlderClassifier(shuffle=False).fit(frame, y)
    np.testing.assert_array_equal(model.decision_function(frame[["c", "a", "b"]]), model.decision_function(frame))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but AlderClassifier was fitted with"):
        np.testing.assert_array_equal(model.decision_function(X), model.decision_function(frame))
    np.testing.assert_array_equal(alder.AlderClassifier(shuffle=False).fit(X, y).decision_function(X),
                                  model.decision_function(frame))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alder.AlderClassifier().fit(pd.DataFrame(X), y).predict(pd.DataFrame(X))


def test_arrays_and_sparse_rows_are_taken_by_place():
    table, y = people(200)
    numbers = table[["age", "wage"]]
    model = alder.AlderClassifier().fit(numbers, y)
    filled = numbers.fillna(50.0)
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(filled.to_numpy()), model.predict(filled))
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="expected a table with the columns that the model knows"):
        model.predict(scipy.sparse.csr_matrix(filled.to_numpy()))


def test_missing_values_of_arrays_are_refused_with_advice():
    X = np.array([[1.0, 2.0], [np.nan, 3.0]])
    with pytest.raises(ValueError, match="Input X contains NaN.*DataFrame"):
        alder.AlderClassifier().fit(X, [0, 1])


def test_new_values_may_come_at_any_time():
    table, y = people(600)
    later = table.assign(job=table["job"].replace("baker", "smith"))
    model = alder.AlderClassifier().partial_fit(table[:300], y[:300])
    known = model.encoded_feature_names_
    model.predict(later)
    assert model.encoded_feature_names_ == known  # predicting changes nothing
    model.partial_fit(later[300:], y[300:])
    assert "job=smith" in model.encoded_feature_names_ and model.encoded_feature_names_[:len(known)] == known


@pytest.mark.parametrize("size", [1, 7, 64, 100])
def test_how_a_table_is_cut_into_calls_does_not_matter(size):
    table, y = people(600)
    table, first = table[["age", "job", "member"]], 520  # the first call tells the kinds and offsets
    at_once = alder.AlderClassifier().partial_fit(table, y)
    cut = alder.AlderClassifier().partial_fit(table[:first], y[:first])
    for start in range(first, 600, size):
        cut.partial_fit(table[start:start + size], y[start:start + size])
    assert encoded(cut) == encoded(at_once)


def test_copies_and_files_keep_the_encoding(tmp_path):
    table, y = people(300)
    model = alder.AlderClassifier().fit(table, y)
    expected = model.decision_function(table)
    alder.save(model, tmp_path / "model")
    loaded = alder.load(tmp_path / "model")
    assert list(loaded.feature_names_in_) == list(table.columns) and loaded.n_features_in_ == 5
    for same in (loaded, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.decision_function(table), expected)
        same.partial_fit(table.assign(job="smith"), y)
        assert "job=smith" in same.encoded_feature_names_
    assert "job=smith" not in model.encoded_feature_names_


def test_dates_and_times_of_all_kinds_are_the_same():
    days = pd.Series(pd.date_range("2020-01-01", periods=200, freq="7h"))
    y = days.dt.hour.to_numpy() > 11
    model = alder.AlderClassifier(shuffle=False).fit(pd.DataFrame({"t": days}), y)
    expected = model.decision_function(pd.DataFrame({"t": days}))
    written = days.dt.strftime("%Y-%m-%d %H:%M:%S")
    local = (days.dt.tz_localize("UTC")).dt.tz_convert("Asia/Tokyo").dt.tz_localize(None).dt.tz_localize("Asia/Tokyo")
    for same in (days.astype("datetime64[s]"), days.astype("datetime64[ns]"), written, days.dt.tz_localize("UTC"),
                 days.astype(object), days.astype("timestamp[us][pyarrow]"),
                 days.dt.tz_localize("Asia/Tokyo").astype("timestamp[us, Asia/Tokyo][pyarrow]")):
        np.testing.assert_array_equal(model.decision_function(pd.DataFrame({"t": same})), expected)
    assert not np.array_equal(model.decision_function(pd.DataFrame({"t": local})), expected)
    date = [{"t": datetime.date(2020, 1, 5)}]
    np.testing.assert_array_equal(model.decision_function(date),
                                  model.decision_function(pd.DataFrame({"t": pd.to_datetime(["2020-01-05"])})))


def test_midnight_is_a_time_of_day_where_others_are():
    times = pd.date_range("2020-01-01", periods=600, freq="7h")
    y = np.arange(600) % 2
    for given in (times, pd.date_range("2020-01-01", periods=600, freq="D")):
        model = alder.AlderClassifier().fit(pd.DataFrame({"t": given}), y)
        wanted = model.decision_function(pd.DataFrame({"t": given}))
        texts = pd.DataFrame({"t": given.strftime("%Y-%m-%d %H:%M:%S" if given is times else "%Y-%m-%d")})
        np.testing.assert_array_equal(model.decision_function(texts), wanted)
        np.testing.assert_array_equal(model.decision_function([{"t": one.to_pydatetime()} for one in given]), wanted)


def test_columns_that_cannot_be_given_are_refused():
    X, y = scipy.sparse.csr_matrix(np.eye(4)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="sparse matrix"):
        alder.AlderClassifier(columns={0: "category"}).fit(X, y)
    with pytest.raises(TypeError, match="expected a dict"):
        alder.AlderClassifier(columns=["age"]).fit(pd.DataFrame({"age": [1, 2, 3, 4]}), y)


def test_strange_tables_are_refused():
    table, y = people(50)
    with pytest.raises(ValueError, match="0 sample"):
        alder.AlderClassifier().fit(table[:0], y[:0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        alder.AlderClassifier().fit(table, y[:49])
    with pytest.raises(TypeError, match="expected names that all are text"):
        alder.AlderClassifier().fit(table.rename(columns={"age": 3}), y)
    with pytest.raises(ValueError, match="Complex data not supported"):
        alder.AlderClassifier().fit(table.assign(wage=1j), y)
    model = alder.AlderClassifier().fit(np.eye(50), y)
    with pytest.raises(ValueError):
        model.predict(table)


def test_odd_objects_are_texts():
    cells = ["a", b"b", 1, 2.0, True, None, np.nan, pd.NA, pd.NaT, "\ud800", np.int64(4), ("x",)] * 10
    model = alder.AlderClassifier(columns={"c": "category"}).fit(pd.DataFrame({"c": pd.Series(cells, dtype=object)}),
                                                               np.arange(120) % 2)
    assert set(model.encoded_feature_names_) == {"c=a", "c=b", "c=1", "c=2", "c=true", "c missing", "c=4", "c=('x',)"}
    encoded(model)


def test_tools_of_scikit_learn_take_tables():
    table, y = people(400)
    assert cross_val_score(alder.AlderClassifier(), table, y, cv=3).mean() > 0.6
    curve = alder.progressive(table, y, alder.AlderClassifier())
    assert len(curve.score) == 400 and curve.estimator.columns_["job"] == "category"
    assert curve.mistakes[-1] == curve.estimator.stats_["mistakes"]


def test_parquet_with_words_and_holes(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet
    table, y = people(700)
    whole = table.assign(answer=y)
    pyarrow.parquet.write_table(pyarrow.Table.from_pandas(whole, preserve_index=False), tmp_path / "people.parquet")
    streamed = alder.AlderClassifier()
    for X, labels in alder.stream_parquet(tmp_path / "people.parquet", label="answer", batch_rows=600):
        streamed.partial_fit(X, labels)
    at_once = alder.AlderClassifier().partial_fit(table, y.to_numpy())
    np.testing.assert_array_equal(streamed.decision_function(table), at_once.decision_function(table))


@needs_program
def test_the_program_and_python_train_the_same_model(tmp_path):
    table, y = people(900)
    table = table[["age", "job", "wage"]]
    write(tmp_path / "people.csv", table, y)
    run("train", tmp_path / "people.csv", "-o", tmp_path / "model", "--label-column", "answer", "--quiet")
    model = alder.AlderClassifier().partial_fit(table, y)
    trained = alder.load(tmp_path / "model")
    assert list(trained.feature_names_in_) == list(table.columns) and trained.columns_ == model.columns_
    assert trained.encoded_feature_names_ == model.encoded_feature_names_
    np.testing.assert_array_equal(trained.decision_function(table), model.decision_function(table))
    assert (tmp_path / "model").read_bytes() == encoded(model)


@needs_program
def test_the_program_predicts_what_python_does(tmp_path):
    table, y = people(500)
    table["day"] = table["day"].dt.strftime("%Y-%m-%d")
    model = alder.AlderClassifier().fit(table, y)
    alder.save(model, tmp_path / "model")
    write(tmp_path / "people.csv", table[table.columns[::-1]])
    run("predict", tmp_path / "model", tmp_path / "people.csv", "--scores", "-o", tmp_path / "scores.txt", "--quiet")
    printed = (tmp_path / "scores.txt").read_text().split()
    assert [float(one) for one in printed[-500:]] == [float(f"{one:.17g}") for one in model.decision_function(table)]


def test_river_rows_may_have_words_and_holes():
    pytest.importorskip("river")
    from alder.river import Classifier
    table, y = people(1500)
    model = Classifier(options={"scale": "online"})
    rows = table[["age", "job", "member"]].astype(object).where(table[["age", "job", "member"]].notna(), None)
    right = 0
    for row, label in zip(rows.to_dict("records"), y):
        right += model.predict_one(row) == label
        model.learn_one(row, label)
    assert right > 0.75 * len(y)
    assert {"job=clerk", "job missing", "age missing", "age", "member"} <= set(model._index)
    assert model.predict_one({"age": float("nan"), "job": "new"}) in ("yes", "no")
    with pytest.raises(TypeError, match="feature 'age' is .*; expected a number, a text or None"):
        model.predict_one({"age": [3]})
