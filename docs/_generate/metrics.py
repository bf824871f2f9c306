"""What each quantity is, with names that are recognised (the generator checks that they are)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spikedoc.model.metric import Metric


@dataclass(frozen=True, slots=True)
class About:
    """One line on a quantity, and a few of its names."""

    meaning: str
    names: tuple[str, ...] = ()


METRICS: Final = {
    Metric.LOSS: About(
        "Training loss, the series a run is judged by.",
        ("loss", "train/loss", "train_loss", "Loss/train", "lm loss", "total_loss"),
    ),
    Metric.VAL_LOSS: About(
        "Loss on held-out data.", ("val_loss", "eval/loss", "Loss/val", "validation_loss")
    ),
    Metric.GRAD_NORM: About(
        "Global L2 norm of the gradients, before clipping.",
        ("grad_norm", "train/grad_norm", "gnorm", "grad-norm"),
    ),
    Metric.GRAD_NORM_CLIPPED: About(
        "The same after clipping.", ("clipped_grad_norm", "grad_norm_clipped")
    ),
    Metric.UPDATE_NORM: About(
        "L2 norm of the change of all parameters in one step.", ("update_norm", "train/update_norm")
    ),
    Metric.WEIGHT_NORM: About(
        "L2 norm of all parameters.", ("weight_norm", "param_norm", "params-norm")
    ),
    Metric.LR: About(
        "Learning rate; of several parameter groups the one most of them share.",
        ("lr", "learning_rate", "lr-AdamW", "train/learning_rate"),
    ),
    Metric.LOSS_SCALE: About(
        "Scale of the dynamic scaler of fp16 training.",
        ("loss_scale", "scaler/scale", "grad_scale"),
    ),
    Metric.EXP_AVG_NORM: About("Norm of Adam's first moment.", ("exp_avg_norm",)),
    Metric.EXP_AVG_SQ_NORM: About("Norm of Adam's second moment.", ("exp_avg_sq_norm",)),
    Metric.MAX_LOGIT: About("Largest attention logit.", ("max_attention_logit", "max_logit")),
    Metric.EPOCH: About("Epoch, whole or fractional.", ("epoch", "train/epoch")),
    Metric.THROUGHPUT: About(
        "Work per second: higher is faster.", ("samples_per_second", "tokens_per_sec")
    ),
    Metric.STEP_TIME: About("Time of one step: lower is faster.", ("step_time", "iter_time")),
    Metric.BATCH_SIZE: About("Samples in one step.", ("batch_size", "global_batch_size")),
    Metric.SKIPPED_STEPS: About(
        "Steps that were skipped because of overflow or NaN.",
        ("skipped_steps", "number of skipped iterations"),
    ),
    Metric.TRAIN_METRIC: About(
        "Accuracy and the like on training data.", ("train_acc", "accuracy", "train/f1")
    ),
    Metric.VAL_METRIC: About(
        "Accuracy and the like on held-out data.", ("val_acc", "eval_accuracy", "val/mIoU")
    ),
    Metric.REWARD: About("Reward or return of an episode.", ("reward", "rollout/ep_rew_mean")),
    Metric.LOSS_COMPONENT: About(
        "One term of the training loss.", ("train/aux_loss", "train/box_loss")
    ),
    Metric.VAL_LOSS_COMPONENT: About("One term of the validation loss.", ("val/box_loss",)),
    Metric.LAYER_GRAD_NORM: About("Gradient norm of one layer.", ("grad_norm/layers.0.attn",)),
    Metric.OTHER: About("Anything else."),
}
