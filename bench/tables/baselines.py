"""What scikit-learn makes of a table whose columns are prepared by hand.

A column is a number, a date, a word, text or left out, by the rules of `kind_of`, looked at in the rows that are learned.
Numbers: the median for a hole, a column that tells the holes, standardised. Dates: year, month, day, weekday and hour, as
numbers. Words: one column a word, rare ones together. Text: weights of its words (tf-idf). The trees get numbers with their
holes, words as categories, and the commonest words of a text; their learning rate is the one of RATES that errs least on a
fifth of the rows that are learned, because at the default of 0.1 they diverge on some tables of many classes.
"""
from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

BASELINES = {"dummy": "most frequent", "nystroem": "SGD on Nyström", "svc": "SVC", "trees": "trees"}
MOST_ROWS_OF_SVC = 20_000
RATES = [0.1, 0.03]
HOLES = ["", "NA", "N/A", "NaN", "nan", "?", "null", "NULL"]
MOST_CATEGORIES = 250  # HistGradientBoostingClassifier takes up to 255
DATE = r"\s*(\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}/\d{1,2}/\d{4})([ T]\d{1,2}:\d{2}(:\d{2})?Z?)?\s*"


def read(file: Path, label: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The columns, as text with holes, and the labels."""
    table = pd.read_csv(file, dtype=str, keep_default_na=False, encoding="utf-8")
    labels = table.pop(label).str.strip().to_numpy(dtype=object)
    table = table.apply(lambda column: column.str.strip())
    return table.astype(object).mask(table.isin(HOLES)), labels


def kind_of(cells: pd.Series) -> str:
    """number, date, text, word, or none: a column that has a single value, or a word of its own in nearly every row."""
    there = cells.dropna()
    if there.nunique() < 2:
        return "none"
    if pd.to_numeric(there, errors="coerce").notna().all():
        return "number"
    if there.str.fullmatch(DATE).mean() > 0.95:
        return "date"
    distinct = there.nunique() / len(there)
    words = there.str.count(r"\S+").mean()
    if distinct > 0.3 and words >= 2.0:
        return "text"
    return "none" if distinct > 0.9 else "word"


def measure(name: str, train: Path, test: Path, label: str, seed: int) -> dict[str, Any]:
    """Held-out error and seconds of a baseline; `error` is None where it is not run."""
    rows, labels = read(train, label)
    if name == "svc" and len(rows) > MOST_ROWS_OF_SVC:
        return {"error": None, "seconds": None}
    held_out, truth = read(test, label)
    kinds = {column: kind_of(rows[column]) for column in rows}
    began = time.perf_counter()
    more: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "trees":
            learned, there, categories = _for_trees(rows, held_out, kinds)
            more["rate"] = _rate(learned, labels, categories, seed)
            predicted = _trees(more["rate"], categories, seed).fit(learned, labels).predict(there)
        else:
            prepare = _for_kernels(kinds)
            learned, there = prepare.fit_transform(rows), prepare.transform(held_out)
            predicted = _model(name, learned, seed).fit(learned, labels).predict(there)
    return {"error": float(np.mean(predicted != truth)), "seconds": round(time.perf_counter() - began, 2), "kinds": kinds,
            **more}


def _trees(rate: float, categories: list[int], seed: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(learning_rate=rate, categorical_features=categories, random_state=seed)


def _rate(learned: np.ndarray, labels: np.ndarray, categories: list[int], seed: int) -> float:
    """The learning rate that errs least on the last fifth of the rows, which are in a random order."""
    kept = len(learned) * 4 // 5
    errors = [np.mean(_trees(rate, categories, seed).fit(learned[:kept], labels[:kept]).predict(learned[kept:])
                      != labels[kept:]) for rate in RATES]
    return RATES[int(np.argmin(errors))]


def _model(name: str, learned: Any, seed: int) -> Any:
    if name == "dummy":
        return DummyClassifier()
    if name == "svc":
        return SVC(cache_size=1000)
    # The width that SVC takes: one over the number of columns and their variance.
    mean_square = learned.multiply(learned).mean() if hasattr(learned, "multiply") else (learned**2).mean()
    width = 1.0 / (learned.shape[1] * max(mean_square - learned.mean() ** 2, 1e-12))
    return make_pipeline(Nystroem(gamma=width, n_components=min(300, learned.shape[0]), random_state=seed),
                         SGDClassifier(random_state=seed))


def _for_kernels(kinds: dict[str, str]) -> ColumnTransformer:
    scale = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    of = _by_kind(kinds)
    steps: list[Any] = []
    if of["number"]:
        steps.append(("number", make_pipeline(FunctionTransformer(_numbers), scale), of["number"]))
    if of["date"]:
        steps.append(("date", make_pipeline(FunctionTransformer(_dates), scale), of["date"]))
    if of["word"]:
        words = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5)
        steps.append(("word", make_pipeline(FunctionTransformer(_words), words), of["word"]))
    for column in of["text"]:
        text = make_pipeline(FunctionTransformer(_texts), TfidfVectorizer(min_df=2, sublinear_tf=True, max_features=20_000))
        steps.append((f"text {column}", text, column))
    return ColumnTransformer(steps)


def _for_trees(rows: pd.DataFrame, held_out: pd.DataFrame, kinds: dict[str, str]) -> tuple[Any, Any, list[int]]:
    """The rows that are learned, those that are held out, and which columns are categories."""
    of = _by_kind(kinds)
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=MOST_CATEGORIES)
    learned, there = [_numbers(rows[of["number"]])], [_numbers(held_out[of["number"]])]
    if of["date"]:
        learned.append(_dates(rows[of["date"]]))
        there.append(_dates(held_out[of["date"]]))
    for column in of["text"]:
        words = TfidfVectorizer(min_df=2, sublinear_tf=True, max_features=300 if len(of["text"]) > 1 else 600)
        learned.append(words.fit_transform(_texts(rows[column])).toarray())
        there.append(words.transform(_texts(held_out[column])).toarray())
    first = sum(part.shape[1] for part in learned)
    if of["word"]:
        learned.append(encoder.fit_transform(_words(rows[of["word"]])))
        there.append(encoder.transform(_words(held_out[of["word"]])))
    categories = list(range(first, first + len(of["word"])))
    return np.hstack(learned), np.hstack(there), categories


def _by_kind(kinds: dict[str, str]) -> dict[str, list[str]]:
    return {kind: [column for column in kinds if kinds[column] == kind] for kind in ("number", "date", "word", "text")}


def _numbers(table: pd.DataFrame) -> np.ndarray:
    return table.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)


def _words(table: pd.DataFrame) -> np.ndarray:
    return table.fillna("a hole").to_numpy(dtype=object)


def _texts(column: pd.Series) -> list[str]:
    return list(column.fillna(""))


def _dates(table: pd.DataFrame) -> np.ndarray:
    parts = []
    for column in table:
        moment = pd.to_datetime(table[column], errors="coerce", format="mixed", utc=True).dt
        parts += [moment.year + (moment.dayofyear - 1) / 366, moment.month, moment.day, moment.dayofweek,
                  moment.hour + moment.minute / 60]
    return np.column_stack([part.to_numpy(dtype=float) for part in parts])
