"""What `explain` says of rows: it agrees with the scores, and with what was learned."""
import numpy as np
import pytest

import alder
from conftest import CLASSIFIERS


def told_by_second(count, seed=0, labels=("no", "yes")):
    """Two classes that the second of three columns tells apart; the last one is 0."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, count)
    X = np.column_stack([rng.normal(1, 0.1, count), 2.0 * y - 1 + rng.normal(0, 0.2, count), np.zeros(count)])
    return X, np.array(labels)[y]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_parts_add_up_to_the_decision_function(cls):
    X, y = told_by_second(600)
    model = cls(precision="double").fit(X, y)
    scores, predicted = model.decision_function(X[:20]), model.predict(X[:20])
    for i, one in enumerate(model.explain(X[:20], top=0)):
        assert one["predicted"] == predicted[i] and {one["towards"], one["against"]} == {"no", "yes"}
        assert one["score"] == scores[i] and one["towards"] == "yes" and one["has_exact_gradients"]
        parts = [row["contribution"] for row in one["stored_rows"]]
        assert len(parts) == one["stored_count"]
        assert sum(parts) + one["rest"] == pytest.approx(one["score"], abs=1e-9 * (1 + sum(map(abs, parts))))
        assert [feature["feature"] for feature in one["features"]] == [1, 0] or cls is not alder.LinearClassifier
        assert len(one["features"]) == 2


@pytest.mark.parametrize("labels", [("a", "b"), ("10", "9")])
def test_effects_and_signs_follow_the_order_of_classes(labels):
    X, y = told_by_second(400, labels=labels)
    model = alder.OgdClassifier(sigma=1.0).fit(X, y)
    for i, one in enumerate(model.explain(X[:10])):
        assert one["towards"] == model.classes_[1]
        assert one["score"] == model.decision_function(X[i:i + 1])[0]
        best = one["features"][0]
        assert best["feature"] == 1 and best["value"] == X[i, 1]
        without = X[i:i + 1].copy()
        without[0, 1] = 0
        assert best["effect"] == one["score"] - model.decision_function(without)[0]


def test_of_many_classes_the_lead_over_the_best_rival_is_explained(four_rings):
    X, y = four_rings
    model = alder.AlderClassifier().fit(X, y)
    scores = model.decision_function(X[:30])
    for i, one in enumerate(model.explain(X[:30])):
        best, next_best = np.sort(scores[i])[[-1, -2]]
        place = {label: i for i, label in enumerate(model.classes_)}
        assert one["towards"] == one["predicted"] == model.classes_[np.argmax(scores[i])]
        assert one["against"] != one["towards"] and scores[i][place[one["against"]]] == next_best
        assert one["score"] == pytest.approx(best - next_best)
        assert one["probability"] == pytest.approx(model.predict_proba(X[i:i + 1]).max())


def test_features_have_the_names_that_a_table_gives_them():
    pandas = pytest.importorskip("pandas")
    X, y = told_by_second(300)
    table = pandas.DataFrame(X, columns=["width", "height", "depth"])
    one = alder.OgdClassifier().fit(table, y).explain(table[:1], top=1)[0]
    assert [feature["name"] for feature in one["features"]] == ["height"]
    assert "name" not in alder.OgdClassifier().fit(X, y).explain(X[:1])[0]["features"][0]


def test_sparse_and_dense_rows_are_explained_alike(sparse_rows):
    X, y = sparse_rows
    model = alder.PomdrClassifier().fit(X, y)
    assert model.explain(X[:5]) == model.explain(X[:5].toarray())


def test_a_row_with_other_columns_is_refused():
    X, y = told_by_second(100)
    model = alder.OgdClassifier().fit(X, y)
    with pytest.raises(ValueError):
        model.explain(X[:, :2])
