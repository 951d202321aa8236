"""Matrices that the core reads where they are: what is wrong with them is found before it is read."""
import numpy as np
import pytest
import scipy.sparse
from conftest import CLASSIFIERS

import alder

WIDE = 2**33  # more columns than there are feature indices


def matrix(data, indices, starts, columns, kind=np.int64):
    """A CSR matrix of these very arrays: SciPy neither checks nor changes them."""
    X = scipy.sparse.csr_matrix((len(starts) - 1, columns))
    X.data = np.array(data, dtype=float)
    X.indices = np.array(indices, dtype=kind)
    X.indptr = np.array(starts, dtype=kind)
    return X


def refuses(X, message):
    """Learning, scoring and mapping all say what is wrong with the matrix."""
    y = np.arange(X.shape[0]) % 2
    with pytest.raises(ValueError, match=message):
        alder.AlderClassifier().fit(X, y)
    with pytest.raises(ValueError, match=message):
        alder.PomdrClassifier(sigma=1.0).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=message):
        alder.RandomFourierFeatures(sigma=1.0).fit(X)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_columns_that_have_no_index_are_refused(cls):
    good = matrix([1, 1, 1, 1], [0, 5, 1, 7], [0, 2, 4], WIDE)
    model = cls().partial_fit(good, [0, 1])
    before = model.decision_function(good)
    for column in (2**32 - 1, 2**32, 2**32 + 5):
        bad = matrix([1, 1, 1, 1], [0, 5, 1, column], [0, 2, 4], WIDE)
        for refused in (lambda: model.decision_function(bad), lambda: model.partial_fit(bad, [0, 1])):
            with pytest.raises(ValueError, match=f"row 1 has an entry in column {column}; expected .* below 4294967295"):
                refused()
    assert model.t_ == 2
    np.testing.assert_array_equal(model.decision_function(good), before)


def test_the_highest_column_is_one_like_others():
    highest = 2**32 - 2
    X = matrix([1, 1, 1, 1], [0, 5, 1, highest], [0, 2, 4], WIDE)
    model = alder.PerceptronClassifier(sigma=1.0).partial_fit(X, [0, 1])
    scores = model.decision_function(X)
    same = matrix([1, 1, 1, 1], [0, 5, 1, 7], [0, 2, 4], WIDE)
    assert scores[0] == model.decision_function(same)[0] and scores[1] != model.decision_function(same)[1]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("columns", [10, WIDE])
def test_columns_outside_the_matrix_are_refused(kind, columns):
    for column in (-1, -(2**31)):
        for place in (0, 1, 4):  # at the start, in the middle and at the end of a row
            indices = [0, 4, 9, 0, 1, 2]
            indices[place] = column
            row = 0 if place < 3 else 1
            refuses(matrix(np.ones(6), indices, [0, 3, 6], columns, kind), f"row {row} has an entry in column {column};")
    if columns == 10:
        refuses(matrix(np.ones(6), [0, 10, 9, 0, 1, 2], [0, 3, 6], columns, kind),
                "row 0 has an entry in column 10; expected columns from 0 to below 10")


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_row_starts_that_do_not_ascend_are_refused(kind):
    for starts, message in (([0, 5, 2, 6], "row start 2 is 2; expected 5 to 6"),
                            ([0, 10**9, 2, 6], "row start 1 is 1000000000; expected 0 to 6"),
                            ([-3, 0, 2, 6], "row start 0 is -3; expected 0 to 6"),
                            ([0, -1, 2, 6], "row start 1 is -1; expected 0 to 6"),
                            ([0, 2, 4, 7], "row start 3 is 7; expected 4 to 6")):
        refuses(matrix(np.ones(6), [0, 1, 2, 3, 4, 5], starts, 10, kind), message)


def test_columns_out_of_order_or_twice_are_put_in_order():
    mixed = matrix([1, 2, 3, 4, 5], [7, 0, 7, 5, 1], [0, 3, 5], 10)
    plain = scipy.sparse.csr_matrix(mixed.toarray())
    scores = [alder.PomdrClassifier(sigma=1.0).partial_fit(X, [0, 1]).decision_function(X) for X in (mixed, plain)]
    np.testing.assert_array_equal(*scores)


def test_dense_rows_of_more_columns_than_indices_are_refused():
    X = np.broadcast_to(np.zeros(1), (2, 2**32))  # takes no memory
    with pytest.raises(ValueError, match="the matrix has 4294967296 columns; expected at most 4294967295"):
        alder._alder.Rows.dense(X)
