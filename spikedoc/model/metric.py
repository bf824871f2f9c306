"""What a series measures: the canonical roles every reader maps its tags to."""

from __future__ import annotations

from enum import StrEnum


class Metric(StrEnum):
    """Canonical role of a series; the value is the name used in reports and in `--map`."""

    LOSS = "loss"
    VAL_LOSS = "val_loss"
    GRAD_NORM = "grad_norm"  # global L2 norm, before clipping
    GRAD_NORM_CLIPPED = "grad_norm_clipped"
    UPDATE_NORM = "update_norm"  # L2 norm of the parameter change of one step
    WEIGHT_NORM = "weight_norm"
    LR = "lr"
    LOSS_SCALE = "loss_scale"  # dynamic scaler of fp16 training
    EXP_AVG_NORM = "exp_avg_norm"  # Adam's first moment
    EXP_AVG_SQ_NORM = "exp_avg_sq_norm"  # Adam's second moment
    MAX_LOGIT = "max_logit"
    EPOCH = "epoch"
    THROUGHPUT = "throughput"  # work per second: higher is faster
    STEP_TIME = "step_time"  # seconds per step: lower is faster
    BATCH_SIZE = "batch_size"
    SKIPPED_STEPS = "skipped_steps"
    TRAIN_METRIC = "train_metric"  # accuracy and the like on training data
    VAL_METRIC = "val_metric"  # accuracy and the like on held-out data
    REWARD = "reward"
    LOSS_COMPONENT = "loss_component"  # one term of the training loss
    VAL_LOSS_COMPONENT = "val_loss_component"
    LAYER_GRAD_NORM = "layer_grad_norm"
    OTHER = "other"


# Roles of which a run may hold many series side by side, told apart by their tag.
MANY: frozenset[Metric] = frozenset(
    {
        Metric.TRAIN_METRIC,
        Metric.VAL_METRIC,
        Metric.LOSS_COMPONENT,
        Metric.VAL_LOSS_COMPONENT,
        Metric.LAYER_GRAD_NORM,
        Metric.OTHER,
    }
)


def spoken(name: str) -> str:
    """Return the name of a series as a sentence says it: its tag alone where the role is many's."""
    role, colon, tag = name.partition(":")
    return tag if colon and tag and role in MANY else name
