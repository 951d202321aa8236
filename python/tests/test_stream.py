"""Interrupts, threads, progress, curves, files and River."""
import contextlib
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import scipy.sparse
from conftest import CLASSIFIERS, ring_rows

import alder

river = pytest.importorskip("river")
PROGRAM = os.environ.get("ALDER")
needs_program = pytest.mark.skipif(PROGRAM is None, reason="ALDER does not name the program")


def run(code, **options):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=90,
                          **options)


@contextlib.contextmanager
def long_fit(disposition):
    """A process that fits for long, having been started with this disposition of SIGINT; killed at the end."""
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent("""
        import threading, time
        import numpy as np, alder
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(3_000_000, 20)), rng.integers(0, 2, 3_000_000)
        model = alder.OgdClassifier(shuffle=False, sigma=1.0)
        def tell():
            while not hasattr(model, "classes_"):  # the rows are still being looked at
                time.sleep(0.01)
            print("ready", flush=True)
        threading.Thread(target=tell).start()
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print(time.time(), flush=True)
            assert 0 < model.t_ < 3_000_000
            model.predict(X[:5])
            model.partial_fit(X[:5], y[:5])
            print("usable", flush=True)
        """)], stdout=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, disposition))
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        yield child
    finally:
        child.kill()
        child.communicate(timeout=20)


@pytest.mark.parametrize("own", [signal.default_int_handler, signal.SIG_IGN])  # disposition of the tests themselves
def test_ctrl_c_stops_a_long_fit_and_keeps_what_was_learned(own):
    before = signal.signal(signal.SIGINT, own)
    try:
        with long_fit(signal.SIG_DFL) as child:
            sent = time.time()
            child.send_signal(signal.SIGINT)
            assert float(child.stdout.readline()) - sent < 1.0
            assert child.stdout.readline() == "usable\n"
            assert child.wait(timeout=20) == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_fit_goes_on_where_interrupts_are_ignored():
    with long_fit(signal.SIG_IGN) as child:
        child.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=1.0)


def test_other_threads_run_while_one_learns():
    X, y = ring_rows(60_000)
    model = alder.OgdClassifier(sigma=0.02)
    thread = threading.Thread(target=lambda: model.fit(X, y))
    thread.start()
    count = 0
    while thread.is_alive():
        count += 1
        time.sleep(0.001)
        if count > 50:
            break
    assert count > 50
    model._model.learner  # may be looked at meanwhile
    thread.join(timeout=100)
    assert not thread.is_alive()


def test_threads_that_score_and_learn_do_not_disturb_each_other():
    X, y = ring_rows(20_000)
    model = alder.PomdrClassifier().partial_fit(X[:100], y[:100])
    failures = []

    def score():
        try:
            for _ in range(5):
                assert np.isfinite(model.decision_function(X)).all()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=score) for _ in range(3)]
    for thread in threads:
        thread.start()
    model.partial_fit(X, y)
    for thread in threads:
        thread.join(timeout=60)
    assert not failures and model.t_ == 20_100


def test_verbose_shows_progress():
    done = run("""
        import numpy as np, alder
        rng = np.random.default_rng(0)
        alder.PomdrClassifier(verbose=1).fit(rng.normal(size=(5000, 3)), rng.integers(0, 2, 5000))
        """)
    assert done.returncode == 0 and "5000" in done.stderr and done.stdout == ""


def test_nothing_leaks():
    done = run("""
        import gc, pickle, numpy as np, alder, alder.river
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
        for name in alder.estimators.__all__:
            model = getattr(alder, name)().fit(X, y)
            pickle.loads(pickle.dumps(model)).predict(X)
            if name.endswith("Classifier"):
                alder.progressive(X, y, model)
        try:
            model.fit(X * np.nan, y)
        except ValueError:
            pass
        alder.NystromFeatures(rows=50).fit_transform(X)
        model = alder.river.Classifier()
        model.learn_one({"a": 1.0}, True)
        model = alder.river.Regressor()
        model.learn_one({"a": 1.0}, 2.0)
        """)
    assert done.returncode == 0 and "leak" not in done.stderr, done.stderr


def test_a_curve_agrees_with_fit(rings):
    X, y = rings
    for cls in CLASSIFIERS:
        curve = alder.progressive(X, y, cls(), order="random")
        fitted = cls().fit(X, y)
        assert curve.mistakes[-1] == fitted.stats_["mistakes"]
        assert curve.support[-1] == fitted.n_support_
        assert len(curve.score) == len(curve.learning_rate) == len(curve.sum_delta) == 2000
        np.testing.assert_array_equal(curve.estimator.decision_function(X), fitted.decision_function(X))
    curve = alder.progressive(X, y, alder.PomdrClassifier(), order=np.arange(100)[::-1])
    assert len(curve.mistake_rate) == 100
    for bad in ("sorted", [5000], [[1]]):
        with pytest.raises(ValueError, match="order"):
            alder.progressive(X, y, alder.PomdrClassifier(), order=bad)


def test_a_bad_row_is_named_and_changes_nothing_after_it(rings):
    X, y = rings
    model = alder.PomdrClassifier(precision="float").partial_fit(X[:50], y[:50])
    X = X[:3].copy()
    X[1, 0] = 1e200
    with pytest.raises(alder.Error, match="row 1: .*float"):
        model.partial_fit(X, y[:3])
    assert model.t_ == 51


def test_errors_say_what_is_wrong(tmp_path, rings):
    X, y = rings
    model = alder.PomdrClassifier(precision="float").partial_fit(X[:50], y[:50])
    X = X[:3].copy()
    X[1, 0] = 1e200
    with pytest.raises(ValueError) as raised:
        model.partial_fit(X, y[:3])
    assert (raised.type, raised.value.kind, raised.value.row) == (alder.Error, "row", 1)
    # Errors of files are OSErrors, and still the ValueErrors that all errors are.
    with pytest.raises(OSError, match="No such file") as raised:
        alder.load(tmp_path / "none")
    assert isinstance(raised.value, alder.FileError) and isinstance(raised.value, alder.Error)
    assert isinstance(raised.value, ValueError)
    assert (raised.value.kind, raised.value.row) == ("file", None)
    assert str(raised.value).startswith(str(tmp_path / "none"))
    with pytest.raises(OSError):
        alder.save(model, tmp_path / "no" / "folder")
    (tmp_path / "model").write_bytes(b"nonsense")
    with pytest.raises(alder.Error) as raised:
        alder.load(tmp_path / "model")
    assert raised.value.kind == "format" and not isinstance(raised.value, OSError)
    with pytest.raises(alder.Error) as raised:
        alder.OgdClassifier(step=-1.0).fit(*rings)
    assert raised.value.kind == "argument"


def test_models_go_through_files(tmp_path, rings):
    X, y = rings
    for cls in CLASSIFIERS:
        for labels in ((0, 1), ("no", "yes")):
            fitted = cls().fit(X, np.array(labels)[y])
            alder.save(fitted, tmp_path / "model")
            loaded = alder.load(tmp_path / "model")
            assert type(loaded) is cls
            np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
            np.testing.assert_array_equal(loaded.decision_function(X), fitted.decision_function(X))
            held = {"bytes"}  # room for more rows is not saved
            assert {k: v for k, v in loaded.stats_.items() if k not in held} == {
                k: v for k, v in fitted.stats_.items() if k not in held}
    with pytest.raises(alder.Error, match="No such file"):
        alder.load(tmp_path / "none")
    (tmp_path / "model").write_bytes((tmp_path / "model").read_bytes()[:-1])
    with pytest.raises(alder.Error, match="not a sound alder model"):
        alder.load(tmp_path / "model")


@needs_program
@pytest.mark.parametrize("scale", ["none", "standard"])
def test_the_program_and_python_share_models(tmp_path, scale):
    def program(*arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True,
                              timeout=60).stdout

    program("generate", "rings", "-n", "2000", "-o", "rows")
    program("train", "rows", "-o", "model", "--quiet", "--scale", scale)
    (X, y), = alder.from_libsvm(tmp_path / "rows")
    model = alder.load(tmp_path / "model")
    scores = np.array([float(line) for line in program("predict", "model", "rows", "--scores").split()])
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-4)
    model.partial_fit(X, y)
    alder.save(model, tmp_path / "more")
    program("train", "rows", "-i", "model", "-o", "more-too", "--quiet")
    assert (tmp_path / "more").read_bytes() == (tmp_path / "more-too").read_bytes()
    assert json.loads(program("info", "more", "--json"))["rounds"] == 4000


def test_streams_of_files(tmp_path, sparse_rows):
    X, y = sparse_rows
    lines = []
    for i in range(X.shape[0]):
        row = X[i].tocoo()
        lines.append(" ".join([y[i], *(f"{j + 1}:{v!r}" for j, v in zip(row.col, map(float, row.data)))]))
    (tmp_path / "rows").write_text("\n".join(lines) + "\n")
    batches = list(alder.from_libsvm(tmp_path / "rows", n_features=60, batch_rows=400))
    assert [len(labels) for _, labels in batches] == [400, 400, 400, 300]
    assert abs(scipy.sparse.vstack([part for part, _ in batches]) - X).max() == 0
    np.testing.assert_array_equal(np.concatenate([labels for _, labels in batches]), y)
    streamed = alder.PomdrClassifier(sigma=1.0)
    for part, labels in batches:
        streamed.partial_fit(part, labels)
    at_once = alder.PomdrClassifier(sigma=1.0).partial_fit(X, y)
    np.testing.assert_array_equal(streamed.decision_function(X), at_once.decision_function(X))
    with pytest.raises(ValueError, match="n_features=5"):
        list(alder.from_libsvm(tmp_path / "rows", n_features=5))
    (tmp_path / "rows.csv").write_text("a,b,kind\n1,2,no\n3,4,yes\n5,0,no\n")
    (part, labels), = alder.from_csv(tmp_path / "rows.csv")
    assert part.toarray().tolist() == [[1, 2], [3, 4], [5, 0]] and labels.tolist() == ["no", "yes", "no"]
    (part, labels), = alder.from_csv(tmp_path / "rows.csv", label_column="kind", separator=",")
    assert labels.tolist() == ["no", "yes", "no"]
    with pytest.raises(alder.Error, match="No such file"):
        list(alder.from_csv(tmp_path / "none.csv"))
    (tmp_path / "bad.csv").write_text("a,b,kind\n1,2,no\n3,x,yes\n")
    with pytest.raises(alder.Error, match="bad.csv:3: "):
        list(alder.from_csv(tmp_path / "bad.csv"))


def test_weights_of_files(tmp_path):
    (tmp_path / "rows").write_text("a 1:1\na 2.5 1:2\nb 1:3\n")
    (X, y, weights), = alder.from_libsvm(tmp_path / "rows", sample_weight=True)
    assert X.toarray().tolist() == [[1], [2], [3]] and y.tolist() == ["a", "a", "b"] and weights.tolist() == [1, 2.5, 1]
    with pytest.raises(ValueError, match="sample_weight=True"):
        list(alder.from_libsvm(tmp_path / "rows"))
    (tmp_path / "plain").write_text("a 1:1\nb 1:2\n")
    parts = list(alder.from_libsvm(tmp_path / "plain", sample_weight=True, batch_rows=1))
    assert [part[2].tolist() for part in parts] == [[1], [1]]
    (tmp_path / "rows.csv").write_text("a,times,kind\n1,2,no\n3,0.5,yes\n")
    for column in ("times", 2):
        (X, y, weights), = alder.from_csv(tmp_path / "rows.csv", weight_column=column)
        assert X.toarray().tolist() == [[1], [3]] and y.tolist() == ["no", "yes"] and weights.tolist() == [2, 0.5]


def test_parquet(tmp_path, rings):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet
    X, y = rings
    pyarrow.parquet.write_table(pyarrow.table({"east": X[:, 0], "kind": y, "north": X[:, 1]}), tmp_path / "rows.parquet")
    streamed = alder.PomdrClassifier(sigma=0.5)
    sizes = []
    for part, labels in alder.stream_parquet(tmp_path / "rows.parquet", label="kind", batch_rows=300):
        streamed.partial_fit(part, labels, classes=[0, 1])
        sizes.append(len(labels))
    assert max(sizes) <= 300 and sum(sizes) == 2000
    at_once = alder.PomdrClassifier(sigma=0.5).partial_fit(X, y)
    np.testing.assert_array_equal(streamed.decision_function(X), at_once.decision_function(X))
    with pytest.raises(ValueError, match="no column 'label'; it has east, kind, north"):
        alder.stream_parquet(tmp_path / "rows.parquet", label="label")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, None], "y": [0, 1]}), tmp_path / "gaps.parquet")
    (gaps, labels), = alder.stream_parquet(tmp_path / "gaps.parquet", label="y")
    assert gaps.schema.names == ["a"] and list(labels) == [0, 1]  # a table, whose values may be missing


LEARNERS = [cls._learner for cls in CLASSIFIERS]


@pytest.mark.parametrize("learner", LEARNERS)
def test_river_checks(learner):
    import alder.river
    from river import checks
    checks.check_estimator(alder.river.Classifier(learner))


def test_river_rows_are_those_of_arrays(rings):
    import alder.river
    X, y = rings
    model = alder.river.Classifier()
    assert model.predict_one({"a": 1.0}) is None
    for row, label in zip(X, y):
        model.learn_one({"east": row[0], "north": row[1]}, bool(label))
    arrays = alder.AlderClassifier().partial_fit(X, y)
    assert model.stats_["mistakes"] == arrays.stats_["mistakes"]
    shares = [model.predict_proba_one({"north": row[1], "east": row[0]})[True] for row in X[:20]]
    np.testing.assert_array_equal(np.array(shares) >= 0.5, arrays.decision_function(X[:20]) >= 0)


def test_river_features_come_and_go():
    import alder.river
    model = alder.river.Classifier("fogd", sigma=1.0)
    for i in range(300):
        x = {"a": float(i % 2), f"noise{i % 7}": 0.1}
        assert model.predict_one(x) in (None, "on", "off")
        model.learn_one(x, "on" if i % 2 else "off")
    assert model.predict_one({"a": 1.0, "never met": 0.0}) == "on"
    with pytest.raises(TypeError, match=r"feature 'a' is \[1\]; expected a number, a text or None"):
        model.learn_one({"a": [1]}, "on")
    with pytest.raises(ValueError, match="learner is 'pomd'"):
        alder.river.Classifier("pomd")


def test_river_learns_many_at_once(rings):
    pandas = pytest.importorskip("pandas")
    import alder.river
    X, y = rings
    frame, labels = pandas.DataFrame(X, columns=["east", "north"]), pandas.Series(y.astype(bool))
    model = alder.river.Classifier(sigma=0.5)
    model.learn_many(frame, labels)
    assert (model.predict_many(frame) == labels).mean() > 0.97
    assert model.predict_proba_many(frame).sum(axis=1).round(9).eq(1.0).all()


def test_fitting_a_large_sparse_matrix_costs_little_memory():
    done = run("""
        import numpy as np, scipy.sparse, alder
        def peak():
            return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
        rows = 2_000_000
        rng = np.random.default_rng(0)
        X = scipy.sparse.csr_matrix((rng.random(5 * rows), np.tile(np.arange(0, 50, 10), rows) + rng.integers(0, 10, 5 * rows),
                                     np.arange(0, 5 * rows + 1, 5)), shape=(rows, 50))
        y = rng.integers(0, 2, rows)
        X.has_canonical_format, y.sum()
        alder.PomdrClassifier(sigma=1.0, shuffle=False).fit(X[:1000], y[:1000])
        open("/proc/self/clear_refs", "w").write("5")  # the peak begins at what is held now
        before = peak()
        model = alder.PomdrClassifier(sigma=1.0)
        model.fit(X, y)
        print(peak() - before)
        """)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 50 * 1024, f"{int(done.stdout) / 1024:.0f} MiB"


def test_the_snippet_of_the_readme_runs(tmp_path):
    readme = (pathlib.Path(__file__).parent.parent.parent / "README.md").read_text()
    snippets = [part.split("```")[0] for part in readme.split("```python\n")[1:]]
    assert snippets
    for snippet in snippets:
        done = run(snippet, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout.split()[0]) > 0.9


def test_examples_run(tmp_path):
    examples = pathlib.Path(__file__).parent.parent.parent / "examples" / "python"
    environment = {**os.environ, **({"ALDER": PROGRAM} if PROGRAM else {})}
    for script in sorted(examples.glob("*.py")):
        done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=90,
                              env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    gc.collect()


def test_a_test_that_hangs_fails_by_its_name(tmp_path):
    settings = pathlib.Path(__file__).parent.parent.parent / "pyproject.toml"
    (tmp_path / "test_slow.py").write_text("import time\n\ndef test_waits():\n    time.sleep(60)\n\n"
                                           "def test_comes_after_it():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-c", settings, "--rootdir", tmp_path, tmp_path / "test_slow.py"]
    limits = subprocess.run([*command, "-o", "timeout=1"], capture_output=True, text=True, timeout=60)
    assert limits.returncode == 1 and "test_slow.py::test_waits" in limits.stdout, limits.stdout
    assert "1 failed, 1 passed" in limits.stdout
