"""Online kernel learning: classes and numbers on a stream, in one pass, with bounded memory, at kernel accuracy.

The classifiers and regressors follow scikit-learn: ``fit``, ``partial_fit``, ``predict``. ``alder.river`` has one of each for
River. ``save`` and ``load`` share their files with the command line program ``alder``.
"""
from ._alder import Error, FileError, __version__
from ._classifier import KernelClassifier, StreamWarning
from ._curve import Curve, progressive
from ._features import NystromFeatures, RandomFourierFeatures
from ._files import from_csv, from_libsvm, load, save, stream_parquet
from ._regressor import KernelRegressor
from .estimators import *
from .estimators import __all__ as _estimators

__all__ = [*_estimators, "Curve", "Error", "FileError", "KernelClassifier", "KernelRegressor", "NystromFeatures",
           "RandomFourierFeatures",
           "StreamWarning", "__version__", "from_csv", "from_libsvm", "load", "progressive", "save", "stream_parquet"]
