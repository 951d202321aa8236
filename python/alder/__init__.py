"""Online kernel learning: classification on a stream, in one pass, with bounded memory, at kernel accuracy.

The classifiers follow scikit-learn: ``fit``, ``partial_fit``, ``predict``, ``decision_function``. ``alder.river`` has one for
River. ``save`` and ``load`` share their files with the command line program ``alder``.
"""
from ._alder import Error, FileError, __version__
from ._classifier import KernelClassifier, StreamWarning
from ._curve import Curve, progressive
from ._features import NystromFeatures, RandomFourierFeatures
from ._files import from_csv, from_libsvm, load, save, stream_parquet
from .estimators import *
from .estimators import __all__ as _estimators

__all__ = [*_estimators, "Curve", "Error", "FileError", "KernelClassifier", "NystromFeatures", "RandomFourierFeatures",
           "StreamWarning", "__version__", "from_csv", "from_libsvm", "load", "progressive", "save", "stream_parquet"]
