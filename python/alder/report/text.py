"""How learners, settings and numbers are written in tables and figures."""
from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from .results import Settings, same

_LEARNERS = {"alder": "ALDER", "pomdr": "POMDR", "fogd": "FOGD", "nogd": "NOGD", "skegd": "SkeGD", "bao2ks": "B(AO)₂KS", "ogd": "OGD",
             "bogd": "BOGD", "pegasos": "Pegasos", "projectron": "Projectron", "projectron++": "Projectron++",
             "perceptron": "Perceptron", "linear": "Linear"}
_SETTINGS = {"sigma": "σ", "zeta": "ζ", "factor": "c"}


def learner_name(learner: str) -> str:
    return _LEARNERS.get(learner, learner)


def settings(values: Settings, without: Collection[str] = ()) -> str:
    """For example "σ = 4, ζ = 2/3"; a dash if there are none."""
    shown = [f"{_SETTINGS.get(name, name)} = {value(setting)}" for name, setting in values.items()
             if name not in without]
    return ", ".join(shown) or "–"


def value(setting: Any) -> str:
    if isinstance(setting, bool) or not isinstance(setting, (int, float)):
        return str(setting)
    return "2/3" if same(setting, 2 / 3) else f"{setting:g}"


def fixed(mean: float, deviation: float | None = None) -> str:
    """With two decimals, as published figures are."""
    return _with_deviation(f"{mean:.2f}", None if deviation is None else f"{deviation:.2f}")


def seconds(mean: float, deviation: float | None = None) -> str:
    """As many digits as one would read from a stopwatch, the deviation with as many decimals."""
    decimals = max(0, 2 - math.floor(math.log10(mean))) if mean > 0 else 0
    decimals = min(decimals, 4) if mean < 100 else 0
    return _with_deviation(f"{mean:.{decimals}f}", None if deviation is None else f"{deviation:.{decimals}f}")


def count(number: float) -> str:
    return f"{number:,.0f}"


def rounds(mean: float | None) -> str:
    return "∞" if mean is None else count(mean)


def size(number_of_bytes: float) -> str:
    for unit, divisor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number_of_bytes >= divisor:
            return f"{number_of_bytes / divisor:.3g} {unit}"
    return f"{number_of_bytes:.0f} B"


def listing(words: Collection[str]) -> str:
    """For example "a, b and c"."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def number(many: int, noun: str, plural: str = "") -> str:
    """For example "1 run", "2 runs", "10,000 runs"."""
    return f"{many:,} {noun if many == 1 else plural or noun + 's'}"


def _with_deviation(mean: str, deviation: str | None) -> str:
    return mean if deviation is None else f"{mean} ± {deviation}"
