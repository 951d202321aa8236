"""The classifiers, one for each learner, and the regressors. Written by generate_estimators.py from the registry of learners: change that."""
from __future__ import annotations

import numpy as np

from ._classifier import KernelClassifier
from ._regressor import KernelRegressor

__all__ = ["AlderClassifier",
           "PomdrClassifier",
           "OgdClassifier",
           "BogdClassifier",
           "FogdClassifier",
           "NogdClassifier",
           "SkegdClassifier",
           "Bao2ksClassifier",
           "ProjectronClassifier",
           "ProjectronPlusPlusClassifier",
           "PegasosClassifier",
           "PerceptronClassifier",
           "LinearClassifier",
           "AlderRegressor",
           "OgdRegressor",
           "BogdRegressor",
           "FogdRegressor",
           "NogdRegressor",
           "SkegdRegressor",
           "LinearRegressor"]


class AlderClassifier(KernelClassifier):
    """Second-order learning in the coordinates of a growing dictionary; finds its metric.

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': found with the kernel, and what is done to the
        features, in a race.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int | None, default=None
        B: the most rows that are stored; None: 200 to 400, 600 for very many features, for K classes 100 K
        up to 800.
    effort : str, default="normal"
        How much is tried to find a metric, and to follow a stream. Low: transforms and widths, in 0.45 of
        the time of normal, which also has learned scales, a fine layer and an alarm. High: also more rows,
        which are replaced, in 1.1 of the time (1.3 if the stream changes). One of: 'low' or 'normal' or
        'high'.
    threshold : float, default=0.05
        How far a row must be from the span of those stored.
    noise : float, default=0.1
        R of AROW: the larger, the smaller the steps.
    forget : float, default=0.0
        Variance regained in an update; 0 without a kernel: several rates, mixed by their recent mistakes.
    race : int, default=4096
        Rows after which two candidates are left at the latest.
    recent_labels : bool, default=False
        Use the last labels too, where they are known before the next row.
    head : bool, default=True
        Learn log-odds for probabilities beside the scores.
    growth : str, default="guide"
        Whose margin makes the dictionary grow: 'guide' or 'predictor'.
    covariance : str, default="full"
        Of the predictor's weights: 'full' or 'diagonal'.
    leave_out : str, default="nothing"
        Without: 'nothing' or 'transforms' or 'scales' or 'laplacian' or 'linear' or 'fine' or 'duel' or
        'budget' or 'forgetting' or 'alarm' or 'replacement'.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "alder"
    _options = ("budget", "effort", "threshold", "noise", "forget", "race", "recent_labels", "head", "growth", "covariance", "leave_out", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int | None = None,
        effort: str = "normal",
        threshold: float = 0.05,
        noise: float = 0.1,
        forget: float = 0.0,
        race: int = 4096,
        recent_labels: bool = False,
        head: bool = True,
        growth: str = "guide",
        covariance: str = "full",
        leave_out: str = "nothing",
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.effort = effort
        self.threshold = threshold
        self.noise = noise
        self.forget = forget
        self.race = race
        self.recent_labels = recent_labels
        self.head = head
        self.growth = growth
        self.covariance = covariance
        self.leave_out = leave_out
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class PomdrClassifier(KernelClassifier):
    """Projected optimistic mirror descent with restarts (Li and Liao 2023).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: the most rows that are stored; reaching it halves them.
    radius : float, default=25.0
        U: the largest norm of the hypothesis.
    window : int, default=15
        M: recent rows in the optimistic gradient.
    zeta : float, default=0.6666666666666666
        Exponent of the ALD threshold ald*T^-zeta.
    ald : float, default=10.0
        Constant of that threshold.
    factor : float, default=0.05
        C: of the learning rate after a removal.
    b0 : int | None, default=None
        B0: rows stored when phase 1 ends; None: 15 ln T.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    batch : str | None, default=None
        What fit leaves behind, for rows that were drawn independently: None: the learner, with which
        partial_fit goes on; 'random': the function of a round drawn at random, which the theory is about;
        'last': that of the last; 'average': the mean over the last half of the rounds. These are fixed and
        learn no more.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "pomdr"
    _options = ("budget", "radius", "window", "zeta", "ald", "factor", "b0", "horizon", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        radius: float = 25.0,
        window: int = 15,
        zeta: float = 0.6666666666666666,
        ald: float = 10.0,
        factor: float = 0.05,
        b0: int | None = None,
        horizon: int | None = None,
        precision: str = "float",
        scale: str = "none",
        batch: str | None = None,
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.radius = radius
        self.window = window
        self.zeta = zeta
        self.ald = ald
        self.factor = factor
        self.b0 = b0
        self.horizon = horizon
        self.precision = precision
        self.scale = scale
        self.batch = batch
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class OgdClassifier(KernelClassifier):
    """Kernel online gradient descent; stores without bound.

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="hinge"
        What is minimised, the first two for classes, the others for numbers. One of: 'hinge' or 'logistic'.
    radius : float, default=25.0
        U: the largest norm of the hypothesis.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "ogd"
    _options = ("step", "loss", "radius", "horizon", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        step: float | None = None,
        loss: str = "hinge",
        radius: float = 25.0,
        horizon: int | None = None,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.step = step
        self.loss = loss
        self.radius = radius
        self.horizon = horizon
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class BogdClassifier(KernelClassifier):
    """Bounded online gradient descent, removing at random (Zhao et al. 2012).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: the most rows that are stored.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="hinge"
        What is minimised, the first two for classes, the others for numbers. One of: 'hinge' or 'logistic'.
    regularization : float, default=0.0001
        Lambda of the penalty lambda/2 ||f||^2.
    cap : float, default=2.0
        Coefficients stay below cap times the step size.
    removal : str, default="uniform"
        How the row that goes is drawn: 'uniform' or 'weighted'.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "bogd"
    _options = ("budget", "step", "loss", "regularization", "cap", "removal", "horizon", "precision", "scale",)
    _draws = True

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        step: float | None = None,
        loss: str = "hinge",
        regularization: float = 0.0001,
        cap: float = 2.0,
        removal: str = "uniform",
        horizon: int | None = None,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.step = step
        self.loss = loss
        self.regularization = regularization
        self.cap = cap
        self.removal = removal
        self.horizon = horizon
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class FogdClassifier(KernelClassifier):
    """Gradient descent on random Fourier features (Lu et al. 2016).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    frequencies : int, default=400
        D: random frequencies, two features each.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="hinge"
        What is minimised, the first two for classes, the others for numbers. One of: 'hinge' or 'logistic'.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "fogd"
    _options = ("frequencies", "step", "loss", "horizon", "precision", "scale",)
    _draws = True

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        frequencies: int = 400,
        step: float | None = None,
        loss: str = "hinge",
        horizon: int | None = None,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.frequencies = frequencies
        self.step = step
        self.loss = loss
        self.horizon = horizon
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class NogdClassifier(KernelClassifier):
    """Gradient descent on Nystroem features (Lu et al. 2016).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: the most rows that are stored.
    rank : int | None, default=None
        The most features of the map; None: 0.2 B.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="hinge"
        What is minimised, the first two for classes, the others for numbers. One of: 'hinge' or 'logistic'.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "nogd"
    _options = ("budget", "rank", "step", "loss", "horizon", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        rank: int | None = None,
        step: float | None = None,
        loss: str = "hinge",
        horizon: int | None = None,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.rank = rank
        self.step = step
        self.loss = loss
        self.horizon = horizon
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class SkegdClassifier(KernelClassifier):
    """Gradient descent on sketches of the Gram matrix (Zhang and Liao 2019).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: rows stored when the sketches are made.
    samples : int | None, default=None
        S_b: rows that a new row is compared with; None: 0.15 B.
    sketch : int | None, default=None
        S_a: columns of the count sketch; None: 0.75 B.
    nonzeros : int, default=4
        D: entries of the count sketch per row.
    rank : int | None, default=None
        The most features of a rebuilt map; None: 0.1 B.
    cycle : float, default=0.3
        Violations between two rebuilds, as a part of T.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="hinge"
        What is minimised, the first two for classes, the others for numbers. One of: 'hinge' or 'logistic'.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "skegd"
    _options = ("budget", "samples", "sketch", "nonzeros", "rank", "cycle", "step", "loss", "horizon", "precision", "scale",)
    _draws = True

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        samples: int | None = None,
        sketch: int | None = None,
        nonzeros: int = 4,
        rank: int | None = None,
        cycle: float = 0.3,
        step: float | None = None,
        loss: str = "hinge",
        horizon: int | None = None,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.samples = samples
        self.sketch = sketch
        self.nonzeros = nonzeros
        self.rank = rank
        self.cycle = cycle
        self.step = step
        self.loss = loss
        self.horizon = horizon
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class Bao2ksClassifier(KernelClassifier):
    """Optimistic descent with a sampled gradient and restarts (Liao and Li 2021).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: the most rows that are stored.
    radius : float, default=30.0
        U: the largest norm of the hypothesis.
    reservoir : int | None, default=None
        Past rows in the optimistic gradient; None: ln T.
    step : float, default=10.0
        Step size: step/sqrt(T) if T is known, else step/sqrt(t).
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "bao2ks"
    _options = ("budget", "radius", "reservoir", "step", "horizon", "precision", "scale",)
    _draws = True

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        radius: float = 30.0,
        reservoir: int | None = None,
        step: float = 10.0,
        horizon: int | None = None,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.radius = radius
        self.reservoir = reservoir
        self.step = step
        self.horizon = horizon
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class ProjectronClassifier(KernelClassifier):
    """A perceptron that projects (Orabona et al. 2008).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    threshold : float, default=0.2
        The largest error of a projection.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "projectron"
    _options = ("threshold", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        threshold: float = 0.2,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.threshold = threshold
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class ProjectronPlusPlusClassifier(KernelClassifier):
    """Projectron that also learns from small margins.

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    threshold : float, default=0.2
        The largest error of a projection.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "projectron++"
    _options = ("threshold", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        threshold: float = 0.2,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.threshold = threshold
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class PegasosClassifier(KernelClassifier):
    """Kernel Pegasos in one pass (Shalev-Shwartz et al. 2007); stores without bound.

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    regularization : float, default=0.0001
        Lambda of the penalty lambda/2 ||f||^2.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "pegasos"
    _options = ("regularization", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        regularization: float = 0.0001,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.regularization = regularization
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class PerceptronClassifier(KernelClassifier):
    """The kernel perceptron; stores without bound.

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "perceptron"
    _options = ("precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class LinearClassifier(KernelClassifier):
    """A hyperplane by AdaGrad (Duchi et al. 2011); no kernel, O(d) a round.

    Parameters
    ----------
    step : float | None, default=None
        Step size of a feature: step/sqrt(sum of its squared gradients); None: 0.1.
    loss : str, default="hinge"
        What is minimised, the first two for classes, the others for numbers. One of: 'hinge' or 'logistic'.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    class_weight : dict | str | None, default=None
        How much the rows of a class count: a dict of factors by label, 1 for those that it leaves out;
        'balanced': all classes alike, by how often they were met so far; None: all rows alike. Learners
        without a place for weights refuse it.
    probabilities : bool, default=True
        Whether probabilities are learned beside the classes, for predict_proba. Classes and scores do not
        depend on it.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "linear"
    _options = ("step", "loss", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        step: float | None = None,
        loss: str = "hinge",
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        class_weight: dict | str | None = None,
        probabilities: bool = True,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.step = step
        self.loss = loss
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.class_weight = class_weight
        self.probabilities = probabilities
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class AlderRegressor(KernelRegressor):
    """Second-order learning in the coordinates of a growing dictionary; finds its metric.

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': found with the kernel, and what is done to the
        features, in a race.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int | None, default=None
        B: the most rows that are stored; None: 200 to 400, 600 for very many features, for K classes 100 K
        up to 800.
    effort : str, default="normal"
        How much is tried to find a metric, and to follow a stream. Low: transforms and widths, in 0.45 of
        the time of normal, which also has learned scales, a fine layer and an alarm. High: also more rows,
        which are replaced, in 1.1 of the time (1.3 if the stream changes). One of: 'low' or 'normal' or
        'high'.
    threshold : float, default=0.05
        How far a row must be from the span of those stored.
    race : int, default=4096
        Rows after which two candidates are left at the latest.
    recent_labels : bool, default=False
        Use the last labels too, where they are known before the next row.
    leave_out : str, default="nothing"
        Without: 'nothing' or 'transforms' or 'scales' or 'laplacian' or 'linear' or 'fine' or 'duel' or
        'budget' or 'forgetting' or 'alarm' or 'replacement'.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "alder"
    _options = ("budget", "effort", "threshold", "race", "recent_labels", "leave_out", "precision", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int | None = None,
        effort: str = "normal",
        threshold: float = 0.05,
        race: int = 4096,
        recent_labels: bool = False,
        leave_out: str = "nothing",
        precision: str = "float",
        scale: str = "none",
        columns: dict | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.effort = effort
        self.threshold = threshold
        self.race = race
        self.recent_labels = recent_labels
        self.leave_out = leave_out
        self.precision = precision
        self.scale = scale
        self.columns = columns
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class OgdRegressor(KernelRegressor):
    """Kernel online gradient descent; stores without bound.

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="squared"
        What is minimised, the first two for classes, the others for numbers. One of: 'squared' or
        'absolute' or 'epsilon_insensitive' or 'quantile' or 'huber' or 'poisson'.
    loss_parameter : float | None, default=None
        Epsilon of epsilon_insensitive, tau of quantile, delta of huber; None: 0.1, 0.5, 1.345.
    radius : float, default=25.0
        U: the largest norm of the hypothesis.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    target_center : float | None, default=None
        Of numbers: (target - center)/scale is learned; None: the mean of the first ones.
    target_scale : float | None, default=None
        Of numbers; None: the standard deviation of the first ones.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "ogd"
    _options = ("step", "loss", "loss_parameter", "radius", "horizon", "precision", "target_center", "target_scale", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        step: float | None = None,
        loss: str = "squared",
        loss_parameter: float | None = None,
        radius: float = 25.0,
        horizon: int | None = None,
        precision: str = "float",
        target_center: float | None = None,
        target_scale: float | None = None,
        scale: str = "none",
        columns: dict | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.step = step
        self.loss = loss
        self.loss_parameter = loss_parameter
        self.radius = radius
        self.horizon = horizon
        self.precision = precision
        self.target_center = target_center
        self.target_scale = target_scale
        self.scale = scale
        self.columns = columns
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class BogdRegressor(KernelRegressor):
    """Bounded online gradient descent, removing at random (Zhao et al. 2012).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: the most rows that are stored.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="squared"
        What is minimised, the first two for classes, the others for numbers. One of: 'squared' or
        'absolute' or 'epsilon_insensitive' or 'quantile' or 'huber' or 'poisson'.
    loss_parameter : float | None, default=None
        Epsilon of epsilon_insensitive, tau of quantile, delta of huber; None: 0.1, 0.5, 1.345.
    regularization : float, default=0.0001
        Lambda of the penalty lambda/2 ||f||^2.
    cap : float, default=2.0
        Coefficients stay below cap times the step size.
    removal : str, default="uniform"
        How the row that goes is drawn: 'uniform' or 'weighted'.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    target_center : float | None, default=None
        Of numbers: (target - center)/scale is learned; None: the mean of the first ones.
    target_scale : float | None, default=None
        Of numbers; None: the standard deviation of the first ones.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "bogd"
    _options = ("budget", "step", "loss", "loss_parameter", "regularization", "cap", "removal", "horizon", "precision", "target_center", "target_scale", "scale",)
    _draws = True

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        step: float | None = None,
        loss: str = "squared",
        loss_parameter: float | None = None,
        regularization: float = 0.0001,
        cap: float = 2.0,
        removal: str = "uniform",
        horizon: int | None = None,
        precision: str = "float",
        target_center: float | None = None,
        target_scale: float | None = None,
        scale: str = "none",
        columns: dict | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.step = step
        self.loss = loss
        self.loss_parameter = loss_parameter
        self.regularization = regularization
        self.cap = cap
        self.removal = removal
        self.horizon = horizon
        self.precision = precision
        self.target_center = target_center
        self.target_scale = target_scale
        self.scale = scale
        self.columns = columns
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class FogdRegressor(KernelRegressor):
    """Gradient descent on random Fourier features (Lu et al. 2016).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    frequencies : int, default=400
        D: random frequencies, two features each.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="squared"
        What is minimised, the first two for classes, the others for numbers. One of: 'squared' or
        'absolute' or 'epsilon_insensitive' or 'quantile' or 'huber' or 'poisson'.
    loss_parameter : float | None, default=None
        Epsilon of epsilon_insensitive, tau of quantile, delta of huber; None: 0.1, 0.5, 1.345.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    target_center : float | None, default=None
        Of numbers: (target - center)/scale is learned; None: the mean of the first ones.
    target_scale : float | None, default=None
        Of numbers; None: the standard deviation of the first ones.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "fogd"
    _options = ("frequencies", "step", "loss", "loss_parameter", "horizon", "precision", "target_center", "target_scale", "scale",)
    _draws = True

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        frequencies: int = 400,
        step: float | None = None,
        loss: str = "squared",
        loss_parameter: float | None = None,
        horizon: int | None = None,
        precision: str = "float",
        target_center: float | None = None,
        target_scale: float | None = None,
        scale: str = "none",
        columns: dict | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.frequencies = frequencies
        self.step = step
        self.loss = loss
        self.loss_parameter = loss_parameter
        self.horizon = horizon
        self.precision = precision
        self.target_center = target_center
        self.target_scale = target_scale
        self.scale = scale
        self.columns = columns
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class NogdRegressor(KernelRegressor):
    """Gradient descent on Nystroem features (Lu et al. 2016).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: the most rows that are stored.
    rank : int | None, default=None
        The most features of the map; None: 0.2 B.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="squared"
        What is minimised, the first two for classes, the others for numbers. One of: 'squared' or
        'absolute' or 'epsilon_insensitive' or 'quantile' or 'huber' or 'poisson'.
    loss_parameter : float | None, default=None
        Epsilon of epsilon_insensitive, tau of quantile, delta of huber; None: 0.1, 0.5, 1.345.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    target_center : float | None, default=None
        Of numbers: (target - center)/scale is learned; None: the mean of the first ones.
    target_scale : float | None, default=None
        Of numbers; None: the standard deviation of the first ones.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "nogd"
    _options = ("budget", "rank", "step", "loss", "loss_parameter", "horizon", "precision", "target_center", "target_scale", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        rank: int | None = None,
        step: float | None = None,
        loss: str = "squared",
        loss_parameter: float | None = None,
        horizon: int | None = None,
        precision: str = "float",
        target_center: float | None = None,
        target_scale: float | None = None,
        scale: str = "none",
        columns: dict | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.rank = rank
        self.step = step
        self.loss = loss
        self.loss_parameter = loss_parameter
        self.horizon = horizon
        self.precision = precision
        self.target_center = target_center
        self.target_scale = target_scale
        self.scale = scale
        self.columns = columns
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class SkegdRegressor(KernelRegressor):
    """Gradient descent on sketches of the Gram matrix (Zhang and Liao 2019).

    Parameters
    ----------
    kernel : str, default="gaussian"
        'gaussian', 'laplacian', 'polynomial' or 'linear'.
    sigma : float | str, default="auto"
        Width of a gaussian or laplacian kernel; 'auto': half the median distance of the first rows.
    gamma : float | None, default=None
        Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the laplacian; also the
        factor in the polynomial kernel.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=1.0
        Of the polynomial kernel.
    budget : int, default=400
        B: rows stored when the sketches are made.
    samples : int | None, default=None
        S_b: rows that a new row is compared with; None: 0.15 B.
    sketch : int | None, default=None
        S_a: columns of the count sketch; None: 0.75 B.
    nonzeros : int, default=4
        D: entries of the count sketch per row.
    rank : int | None, default=None
        The most features of a rebuilt map; None: 0.1 B.
    cycle : float, default=0.3
        Violations between two rebuilds, as a part of T.
    step : float | None, default=None
        Step size: step/sqrt(T) if T is known, else step/sqrt(t); None: by the loss.
    loss : str, default="squared"
        What is minimised, the first two for classes, the others for numbers. One of: 'squared' or
        'absolute' or 'epsilon_insensitive' or 'quantile' or 'huber' or 'poisson'.
    loss_parameter : float | None, default=None
        Epsilon of epsilon_insensitive, tau of quantile, delta of huber; None: 0.1, 0.5, 1.345.
    horizon : int | None, default=None
        T: rows to come; None: counted if read whole, else unknown.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    target_center : float | None, default=None
        Of numbers: (target - center)/scale is learned; None: the mean of the first ones.
    target_scale : float | None, default=None
        Of numbers; None: the standard deviation of the first ones.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "skegd"
    _options = ("budget", "samples", "sketch", "nonzeros", "rank", "cycle", "step", "loss", "loss_parameter", "horizon", "precision", "target_center", "target_scale", "scale",)
    _draws = True

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        sigma: float | str = "auto",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        samples: int | None = None,
        sketch: int | None = None,
        nonzeros: int = 4,
        rank: int | None = None,
        cycle: float = 0.3,
        step: float | None = None,
        loss: str = "squared",
        loss_parameter: float | None = None,
        horizon: int | None = None,
        precision: str = "float",
        target_center: float | None = None,
        target_scale: float | None = None,
        scale: str = "none",
        columns: dict | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.samples = samples
        self.sketch = sketch
        self.nonzeros = nonzeros
        self.rank = rank
        self.cycle = cycle
        self.step = step
        self.loss = loss
        self.loss_parameter = loss_parameter
        self.horizon = horizon
        self.precision = precision
        self.target_center = target_center
        self.target_scale = target_scale
        self.scale = scale
        self.columns = columns
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose


class LinearRegressor(KernelRegressor):
    """A hyperplane by AdaGrad (Duchi et al. 2011); no kernel, O(d) a round.

    Parameters
    ----------
    step : float | None, default=None
        Step size of a feature: step/sqrt(sum of its squared gradients); None: 0.1.
    loss : str, default="squared"
        What is minimised, the first two for classes, the others for numbers. One of: 'squared' or
        'absolute' or 'epsilon_insensitive' or 'quantile' or 'huber' or 'poisson'.
    loss_parameter : float | None, default=None
        Epsilon of epsilon_insensitive, tau of quantile, delta of huber; None: 0.1, 0.5, 1.345.
    precision : str, default="float"
        Of stored rows and kernel values: 'float' or 'double'.
    target_center : float | None, default=None
        Of numbers: (target - center)/scale is learned; None: the mean of the first ones.
    target_scale : float | None, default=None
        Of numbers; None: the standard deviation of the first ones.
    scale : str, default="none"
        Of the features; online: as suits the first 128 rows: 'none' or 'online'.
    columns : dict | None, default=None
        What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or 'ignore';
        those that it leaves out, as their types say, or for text as the first rows do. Of an array, whose
        columns are called 0, 1, ..., they are numbers.
    shuffle : bool, default=True
        Whether fit learns the rows in a random order. partial_fit never changes it.
    random_state : int | np.random.RandomState | None, default=1
        Of that order, and of learners that draw.
    verbose : int, default=0
        1: show how far fit is, with tqdm if that is there.
    """

    _learner = "linear"
    _options = ("step", "loss", "loss_parameter", "precision", "target_center", "target_scale", "scale",)
    _draws = False

    def __init__(
        self,
        *,
        step: float | None = None,
        loss: str = "squared",
        loss_parameter: float | None = None,
        precision: str = "float",
        target_center: float | None = None,
        target_scale: float | None = None,
        scale: str = "none",
        columns: dict | None = None,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 1,
        verbose: int = 0,
    ) -> None:
        self.step = step
        self.loss = loss
        self.loss_parameter = loss_parameter
        self.precision = precision
        self.target_center = target_center
        self.target_scale = target_scale
        self.scale = scale
        self.columns = columns
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose
