"""The published figures that results are compared with.

Junfan Li and Shizhong Liao, "Improved Kernel Alignment Regret Bound for Online Kernel Learning", AAAI 2023: Tables 2
and 3, and the tables of its supplement with four more data sets. Mistake ratios are in %, times in seconds (R, one
laptop); all are means over ten permutations.
"""
from __future__ import annotations

from dataclasses import dataclass

LEARNERS = ("fogd", "nogd", "skegd", "bao2ks", "pomdr")  #: in the order of the tables


@dataclass(frozen=True)
class Figure:
    """An algorithm on a data set, with standard deviations."""

    amr: float
    amr_deviation: float
    seconds: float
    seconds_deviation: float


@dataclass(frozen=True)
class Published:
    rows: int
    sigma: float
    zeta: float
    figures: dict[str, Figure]


@dataclass(frozen=True)
class Alignment:
    """POMDR with one kernel width: how well the kernel suits the data."""

    data: str
    sigma: float
    amr: float
    sum_delta: float  #: the paper's A_T
    switch_round: float | None  #: the paper's t̄; None: never


def _published(rows: int, sigma: float, zeta: float, *figures: tuple[float, float, float, float]) -> Published:
    return Published(rows, sigma, zeta, {learner: Figure(*figure) for learner, figure in zip(LEARNERS, figures)})


SETS: dict[str, Published] = {
    "magic04": _published(19020, 0.5, 2 / 3, (16.88, 0.15, 0.74, 0.01), (17.31, 0.20, 1.57, 0.08),
                          (24.17, 0.95, 1.07, 0.06), (22.04, 0.43, 0.95, 0.05), (16.17, 0.21, 0.91, 0.07)),
    "w8a": _published(49749, 4, 1 / 2, (2.25, 0.04, 8.29, 0.05), (2.89, 0.09, 23.65, 0.17), (3.04, 0.01, 10.72, 0.15),
                      (2.91, 0.02, 14.08, 0.70), (2.12, 0.06, 18.36, 0.11)),
    "mushrooms": _published(8124, 2, 2 / 3, (0.31, 0.03, 0.70, 0.02), (1.71, 0.33, 1.87, 0.13),
                            (0.26, 0.02, 0.51, 0.03), (1.67, 0.25, 0.76, 0.05), (0.21, 0.03, 0.44, 0.03)),
    "mnist12": _published(12700, 4, 2 / 3, (0.94, 0.08, 4.85, 0.04), (1.89, 0.22, 15.50, 0.09),
                          (0.60, 0.04, 19.26, 0.81), (1.41, 0.12, 8.34, 0.72), (0.53, 0.04, 9.85, 0.34)),
    "a9a": _published(48842, 4, 1 / 2, (16.39, 0.07, 4.47, 0.03), (16.53, 0.10, 9.95, 0.18), (17.31, 0.21, 4.88, 0.03),
                      (20.65, 0.26, 6.16, 0.08), (16.25, 0.09, 9.53, 0.05)),
    "ijcnn1": _published(141691, 4, 2 / 3, (8.51, 0.06, 6.14, 0.14), (8.53, 0.03, 12.63, 0.31),
                         (9.76, 0.05, 7.58, 0.26), (9.58, 0.00, 7.12, 0.35), (8.69, 0.07, 8.37, 0.08)),
    "SUSY": _published(50000, 4, 2 / 3, (22.16, 0.12, 2.21, 0.09), (22.31, 0.13, 4.79, 0.28), (27.47, 0.88, 2.46, 0.03),
                       (30.71, 0.20, 3.29, 0.34), (21.81, 0.07, 3.17, 0.34)),
}

ALIGNMENTS = (
    Alignment("magic04", 0.5, 16.17, 6385, 469), Alignment("magic04", 4, 23.26, 10337, None),
    Alignment("w8a", 4, 2.12, 2594, 3582), Alignment("w8a", 64, 3.12, 4256, None),
    Alignment("mushrooms", 0.5, 0.83, 8122, 135), Alignment("mushrooms", 2, 0.21, 68, None),
    Alignment("mnist12", 0.5, 2.43, 12698, 142), Alignment("mnist12", 4, 0.53, 376, 3228),
    Alignment("a9a", 4, 16.25, 15405, 529), Alignment("a9a", 32, 21.17, 26801, None),
    Alignment("SUSY", 4, 21.81, 22378, 361), Alignment("SUSY", 32, 29.45, 39468, None),
)
