"""Warnings where what is measured on the way would mislead."""
import warnings

import numpy as np
import pytest
from conftest import ring_rows

import alder


def sorted_rows(rows=400):
    X, y = ring_rows(rows)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def test_rows_sorted_by_class_and_learned_in_that_order_are_told():
    X, y = sorted_rows()
    with pytest.warns(alder.StreamWarning, match=r"labels come in runs: 1 change in 400 rows; .*shuffle=True") as told:
        alder.OgdClassifier(shuffle=False).fit(X, y)
    assert len(told) == 1
    assert told[0].filename == __file__


@pytest.mark.parametrize("learn", [
    lambda X, y: alder.OgdClassifier().fit(X, y),
    lambda X, y: alder.OgdClassifier().partial_fit(X, y),
    lambda X, y: alder.OgdClassifier(shuffle=False).fit(X[190:210], [0] * 10 + [1] * 10),
])
def test_random_order_partial_fit_and_few_rows_are_fine(learn):
    X, y = sorted_rows()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learn(X, y)


def test_rows_that_are_mixed_are_fine_in_their_order():
    X, y = ring_rows(400)
    y[::2], y[1::2] = -1, 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alder.OgdClassifier(shuffle=False).fit(X, y)


def test_it_is_a_user_warning():
    assert issubclass(alder.StreamWarning, UserWarning)
