"""Explanations of a model in the words of its user: labels for ids, names for columns."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_SIGNED = ("gradient", "effect", "contribution")


def name_features(found: list[dict[str, Any]], names: Sequence[str] | None) -> list[dict[str, Any]]:
    """What the model found, with the names of columns, if there are any."""
    for one in found:
        for feature in one["features"] if names is not None else ():
            place = feature["feature"]
            feature["name"] = str(names[place]) if place < len(names) else "a new value"
    return found


def explained(found: list[dict[str, Any]], labels: dict[int, Any], is_upright: bool) -> list[dict[str, Any]]:
    """The same of classes, with labels by class id; if it is not upright, scores are those of the other class."""
    for one in found:
        one.pop("value", None)
        for key in ("predicted", "towards", "against"):
            one[key] = labels.get(one[key])
        if not is_upright:
            _turn(one)
    return found


def _turn(one: dict[str, Any]) -> None:
    one["towards"], one["against"] = one["against"], one["towards"]
    for key in ("score", "rest"):
        one[key] = 0.0 - one[key]
    for part in (*one["features"], *one["stored_rows"]):
        part.update({key: 0.0 - part[key] for key in _SIGNED if key in part})
