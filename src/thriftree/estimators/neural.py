"""Neural trees: a network in front of a soft tree, learned together in mini-batches."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import ClassifierMixin, RegressorMixin

from thriftree import _core
from thriftree.estimators.neural_learner import NEURAL_PARAMETERS, NeuralLearner, Scaled
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, Constraints
from thriftree.estimators.soft_targets import ClassTargets, NumberTargets
from thriftree.learning import targets
from thriftree.learning.limits import threads_of
from thriftree.methods.soft.distinct_rows import DistinctRows


class NeuralTreeClassifier(ClassifierMixin, ClassTargets, NeuralLearner):  # type: ignore[misc]
    """Classification tree over what a network makes of the columns: a soft tree as the network's head.

    The gates weigh the units of a hidden layer, or of a module of yours, instead of the columns. Network,
    gates and leaves are learned together by mini-batches of Adam; rows kept aside say when to stop. `fit`
    needs torch: `pip install 'thriftree[neural]'`. Columns are standardised inside, a category has a term of
    its own, and so have missing values, as in `SoftTreeClassifier`.

    Parameters
    ----------
    hidden : int, default=16
        Units of the hidden layer (tanh); 0: none, so that the gates weigh the columns as those of
        `SoftTreeClassifier` do.
    backbone : torch.nn.Module or None, default=None
        Takes the place of the hidden layer: from (rows, terms) to (rows, units). It is copied, and learned on
        in 64-bit floats on the CPU, in 32-bit ones elsewhere.
    max_depth : int, default=4
        Of the tree, which is complete.
    l2 : float, default=1e-3
        Penalty: half of it times the squares of the weights of hidden units and gates and of the leaves'
        outputs (of K classes 2 / K of them) is added to the mean loss of a row. For a module of yours it
        counts gates and leaves only.
    balance : float, default=0.1
        Penalty on gates that send nearly all rows of a batch one way (Frosst and Hinton 2017), so that no
        leaf is lost before it has learned anything. 0: none.
    sharpness : float, default=1.0
        Factor inside the gates.
    batch_size : int, default=256
    learning_rate : float, default=0.01
        Of Adam.
    max_epochs : int, default=200
    patience : int, default=20
        Training ends after so many epochs without a lower loss of the rows kept aside. The best epoch is
        what stays.
    validation_fraction : float, default=0.1
        Share of the rows that are kept aside; 0: none, and the training loss decides.
    device : str, default="cpu"
        As torch calls it.
    categorical_features : "auto", list of names or positions, or None, default="auto"
        Columns whose values are only names. "auto": strings, booleans and categoricals.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of each class. "balanced" gives all classes the same total.
    random_state : int, RandomState or None, default=None
        Seed of the start, of the rows kept aside and of the batches. On the CPU the same seed gives the same
        digits, with the same number of threads and the same torch.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all; never more than there are CPUs.
    time_limit_s : float or None, default=None
        A fit that reaches it keeps the best it has, warns, and says so in `stopped_by_`.

    Attributes
    ----------
    soft_tree_ : SoftTree
        The head, over the units of the network; with nothing in front, over the columns.
    backbone_ : HiddenLayer, Module or None
        The network in front of it. Only a module of yours needs torch to predict.
    design_ : Design
        How columns become the terms that the network takes.
    classes_ : array of the labels, sorted
    n_classes_, n_features_in_ : int
    feature_names_in_ : array of str, if the columns had names
    loss_curve_, validation_loss_curve_ : arrays
        By epoch: the penalised mean loss of the batches, and the mean loss of the rows kept aside.
    best_epoch_ : int
        The one that stays; 0 is the start.
    n_iter_ : int
        Epochs.
    stopped_early_ : bool
        Whether `patience` ended the training.
    stopped_by_ : None, "time_limit" or "interrupt"
        After Ctrl-C the attributes are set before KeyboardInterrupt is raised.
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **NEURAL_PARAMETERS,
        "class_weight": CLASSIFIER_PARAMETERS["class_weight"],
    }

    def __init__(
        self,
        *,
        hidden: int = 16,
        backbone: Any = None,
        max_depth: int = 4,
        l2: float = 1e-3,
        balance: float = 0.1,
        sharpness: float = 1.0,
        batch_size: int = 256,
        learning_rate: float = 0.01,
        max_epochs: int = 200,
        patience: int = 20,
        validation_fraction: float = 0.1,
        device: str = "cpu",
        categorical_features: Any = "auto",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
    ) -> None:
        self.hidden = hidden
        self.backbone = backbone
        self.max_depth = max_depth
        self.l2 = l2
        self.balance = balance
        self.sharpness = sharpness
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.device = device
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s

    def predict_proba(self, X: Any) -> targets.Floats:
        """Probability of each class, in the order of `classes_`."""
        units = self._units(X)
        return self.soft_tree_.predict_proba(units, n_threads=threads_of(self.n_jobs))

    def _classes(self) -> tuple[Any, ...] | None:
        return tuple(self.classes_.tolist())

    def _scaled(self, rows: DistinctRows) -> Scaled:
        return 0.0, 1.0, rows.y


class NeuralTreeRegressor(RegressorMixin, NumberTargets, NeuralLearner):  # type: ignore[misc]
    """Regression tree over what a network makes of the columns: a soft tree as the network's head.

    Learned by the squared error in standard deviations of the target. The parameters mean what they mean in
    `NeuralTreeClassifier`; `fit` needs torch: `pip install 'thriftree[neural]'`.
    """

    _parameter_constraints: ClassVar[Constraints] = NEURAL_PARAMETERS

    def __init__(
        self,
        *,
        hidden: int = 16,
        backbone: Any = None,
        max_depth: int = 4,
        l2: float = 1e-3,
        balance: float = 0.1,
        sharpness: float = 1.0,
        batch_size: int = 256,
        learning_rate: float = 0.01,
        max_epochs: int = 200,
        patience: int = 20,
        validation_fraction: float = 0.1,
        device: str = "cpu",
        categorical_features: Any = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
    ) -> None:
        self.hidden = hidden
        self.backbone = backbone
        self.max_depth = max_depth
        self.l2 = l2
        self.balance = balance
        self.sharpness = sharpness
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.device = device
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s

    def predict(self, X: Any) -> targets.Floats:
        """The expected number of each row."""
        units = self._units(X)
        return self.soft_tree_.predict(units, n_threads=threads_of(self.n_jobs))

    def _classes(self) -> tuple[Any, ...] | None:
        return None

    def _scaled(self, rows: DistinctRows) -> Scaled:
        centre, scale = _core.soft_spread(rows.y, rows.weight)
        return centre, scale, (rows.y - centre) * scale
