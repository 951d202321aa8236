"""The best function of `alder regret`, against LIBSVM on the equivalent regularised problem."""
import json
import os
import subprocess

import numpy as np
import pytest
from conftest import ring_rows
from sklearn.datasets import make_moons
from sklearn.svm import SVC

ALDER = os.environ.get("ALDER")


def without_bias(X, y, sigma, penalty):
    """The SVM without a bias, min ‖f‖²/2 + C Σ hinge: its norm and Σ hinge, by LIBSVM, which always has a bias.

    Every row is there twice, as (φ, y) and (−φ, −y): both ask the same of f, so each counts half, and with a bias b the
    problem does not change when b becomes −b: at its minimum b is 0.
    """
    kernel = np.exp(-((X[:, None, :] - X[None]) ** 2).sum(axis=2) / (2 * sigma ** 2))
    doubled = np.block([[kernel, -kernel], [-kernel, kernel]])
    svm = SVC(kernel="precomputed", C=penalty / 2, tol=1e-7).fit(doubled, np.concatenate([y, -y]))
    assert abs(svm.intercept_[0]) < 1e-4
    a = np.zeros(2 * len(y))
    a[svm.support_] = svm.dual_coef_[0]
    a = a[:len(y)] - a[len(y):]
    f = kernel @ a
    return np.sqrt(a @ f), np.maximum(0, 1 - y * f).sum()


@pytest.mark.skipif(not ALDER, reason="$ALDER, the program's path, is not set")
@pytest.mark.parametrize("penalty", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("rows", ["rings", "moons"])
def test_is_that_of_libsvm(rows, penalty, tmp_path):
    X, y = ring_rows(300) if rows == "rings" else make_moons(300, noise=0.35, random_state=1)
    y = 2.0 * y - 1
    norm, loss = without_bias(X, y, 0.7, penalty)
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{label:+g} " + " ".join(f"{j}:{x!r}" for j, x in enumerate(row.tolist(), 1)) + "\n"
                            for label, row in zip(y, X)))
    found = json.loads(subprocess.run([ALDER, "regret", path, "--sigma", "0.7", "--ball", repr(float(norm)),
                                       "--tolerance", "1e-5", "--json", "--quiet"], check=True,
                                      capture_output=True, timeout=60).stdout)["regret"][-1]
    assert found["best_loss_at_least"] <= loss * (1 + 1e-4) + 1e-4
    assert found["best_loss"] == pytest.approx(loss, rel=1e-4, abs=1e-3)
    assert found["best_norm"] <= norm * (1 + 1e-9)
