"""The labels of a classifier, and the names and ids that its model has for them."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _alder


class ClassNames:
    """Labels in ascending order, with their names in a model. Ids are places in the model's list of names: they are given as
    labels come, and may differ in a copy of the model, so they are looked up by name."""

    def __init__(self, class_weight: Any = None) -> None:
        self.labels: np.ndarray = np.empty(0)
        self._names: list[str] = []  # of the labels
        # A label that a class weight is given for has that key's name: 1.0 is the class 1.
        self._keys: dict[Any, Any] = {key: key for key in class_weight} if isinstance(class_weight, dict) else {}

    @classmethod
    def of_model(cls, model: _alder.Model) -> "ClassNames":
        """Those of a model from a file, whose labels are text."""
        found = cls()
        names = [name for name in model.classes if name]  # one that was never met may have none
        labels = labels_of_text(names)
        order = np.argsort(labels, kind="stable")
        found.labels, found._names = labels[order], [names[place] for place in order]
        weighted = list(model.class_weights[1])
        found._keys = dict(zip(map(_plain, labels_of_text(weighted)), weighted))
        return found

    def add(self, labels: np.ndarray, model: _alder.Model) -> None:
        """Adds those of the labels, which are different ones, that are new, and names them in the model."""
        if len(self.labels) == 0:
            self.labels = labels[:0]
        if _is_text(labels) != _is_text(self.labels) and len(self.labels):
            kinds = ["numbers", "text"]
            raise ValueError(f"y has the label {_plain(labels[0])!r}; expected labels that are {kinds[_is_text(self.labels)]}, as those "
                             "before")
        fresh = labels[~np.isin(labels, self.labels)]
        if len(fresh) == 0:
            return
        names = [str(self._keys.get(_plain(label), label)) for label in fresh]
        model.set_classes(_filled(model.classes, names))
        everything = np.concatenate([self.labels, fresh])
        order = np.argsort(everything, kind="stable")
        self._names = [[*self._names, *names][place] for place in order]
        self.labels = everything[order]

    def ids(self, model: _alder.Model) -> np.ndarray:
        """The ids of the labels."""
        by_name = {name: number for number, name in enumerate(model.classes)}
        return np.array([by_name[name] for name in self._names], dtype=np.int64)

    def labels_of(self, ids: np.ndarray, model: _alder.Model) -> np.ndarray:
        """The labels with these ids; the first for an id that is none, as before anything was learned."""
        return self.labels[self._places(model)[np.minimum(ids, len(model.classes))]]

    def by_label(self, columns: np.ndarray, model: _alder.Model) -> np.ndarray:
        """Columns by label, of those by id."""
        ids = self.ids(model)
        return columns if np.array_equal(ids, np.arange(columns.shape[1])) else columns[:, ids]

    def labels_by_id(self, model: _alder.Model) -> dict[int, Any]:
        """Labels as plain values of Python, by the ids of their classes."""
        return {int(id): _plain(label) for id, label in zip(self.ids(model), self.labels)}

    def name_metrics(self, metrics: dict[str, Any], model: _alder.Model) -> dict[str, Any]:
        """Metrics with labels instead of ids."""
        places = self._places(model)
        label = [_plain(self.labels[place]) for place in places]
        metrics["recall"] = {label[id]: share for id, share in enumerate(metrics["recall"]) if share is not None}
        metrics["confusion"] = [(label[actual], None if predicted is None else label[predicted], rows)
                                for actual, predicted, rows in metrics["confusion"]]
        return metrics

    def class_weight(self, model: _alder.Model) -> Any:
        """The parameter class_weight that gives a model its class weights; balanced factors are told as balanced."""
        balanced, factors = model.class_weights
        if balanced or not factors:
            return "balanced" if balanced else None
        labels = {name: label for label, name in self._keys.items()} | dict(zip(self._names, map(_plain, self.labels)))
        return {labels[name]: factor for name, factor in factors.items()}

    def _places(self, model: _alder.Model) -> np.ndarray:
        """The places of ids among the labels, and 0 for what is no id."""
        places = np.zeros(len(model.classes) + 1, dtype=np.int64)
        places[self.ids(model)] = np.arange(len(self._names))
        return places


def class_weights(class_weight: Any) -> tuple[bool, dict[str, float]]:
    """A parameter class_weight as a model takes it: whether classes are balanced, and factors by name."""
    if class_weight is None:
        return False, {}
    if isinstance(class_weight, dict):
        return False, {str(label): float(factor) for label, factor in class_weight.items()}
    if isinstance(class_weight, str) and class_weight == "balanced":
        return True, {}
    raise ValueError(f"class_weight is {class_weight!r}; expected None, 'balanced' or a dict of factors by label")


def labels_of_text(names: Iterable[str]) -> np.ndarray:
    """Labels from a file: truth values if they are True and False, numbers if all are, else text."""
    names = list(names)
    if names and set(names) <= {"True", "False"}:
        return np.array([name == "True" for name in names])
    try:
        numbers = np.array([float(name) for name in names])
    except ValueError:
        return np.array(names)
    if not np.all(np.isfinite(numbers)) or len(np.unique(numbers)) < len(names):
        return np.array(names)
    whole = np.all(numbers == np.round(numbers)) and np.all(np.abs(numbers) < 2**53)
    return numbers.astype(np.int64) if whole else numbers


def _filled(known: list[str], names: list[str]) -> list[str]:
    """Names by id with others added: first where a class has none yet."""
    rest = iter(names)
    return [name or next(rest, "") for name in known] + list(rest)


def _is_text(labels: np.ndarray) -> bool:
    return labels.dtype.kind in "USO" and any(isinstance(label, (str, bytes)) for label in labels)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
