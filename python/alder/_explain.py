"""Explanations of a model in the words of its user: labels for ids, names for columns."""
from __future__ import annotations

from typing import Any, Sequence

from sklearn.utils.validation import check_is_fitted

from ._rows import take

_SIGNED = ("gradient", "effect", "contribution")


def explained(found: list[dict[str, Any]], labels: dict[int, Any], names: Sequence[str] | None,
              is_upright: bool) -> list[dict[str, Any]]:
    """What the model found, with labels by class id and names by column; if it is not upright, scores are those of the other
    class."""
    for one in found:
        for key in ("predicted", "towards", "against"):
            one[key] = labels.get(one[key])
        if names is not None:
            for feature in one["features"]:
                place = feature["feature"]
                feature["name"] = str(names[place]) if place < len(names) else "a new value"
        if not is_upright:
            _turn(one)
    return found


def _turn(one: dict[str, Any]) -> None:
    one["towards"], one["against"] = one["against"], one["towards"]
    for key in ("score", "rest"):
        one[key] = 0.0 - one[key]
    for part in (*one["features"], *one["stored_rows"]):
        part.update({key: 0.0 - part[key] for key in _SIGNED if key in part})


class Explains:
    """What a classifier needs to say why it predicts what it does."""

    def explain(self, X: Any, top: int = 5) -> list[dict[str, Any]]:
        """Why each row is predicted as it is: which features and which stored rows moved its score most.

        A dict for each row. ``score`` is, of two classes, that of ``decision_function``; of more, the score of the first class
        less that of its best rival. It speaks for the class ``towards`` if it is positive, else for ``against``.
        ``predicted`` is the class and ``probability`` its probability, if those are learned.

        ``features`` lists the ``top`` features with the largest effects (0: all): ``feature`` (the column), ``name`` if X had
        names when it was learned, ``value``, ``gradient`` of the score by the value, and ``effect``, the score less that of
        the row with 0 in the place of the value. ``stored_rows`` lists those that add most to the score: ``row`` (the place
        among the ``stored_count`` stored rows), ``contribution``, and ``similarity``, the kernel value. All contributions and
        ``rest`` add up to the score. docs/explain.md says more.
        """
        check_is_fitted(self)
        rows = take(self, X, reset=False).rows
        has_names = hasattr(self, "feature_names_in_") or self._model.columns is not None
        return explained(self._model.explain(rows, top), self._names.labels_by_id(self._model),
                         self.encoded_feature_names_ if has_names else None, self._is_upright())
