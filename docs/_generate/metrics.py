"""Names that are recognised for each quantity (the generator checks that they are)."""

from __future__ import annotations

from typing import Final

from spikedoc.model.metric import Metric

NAMES: Final[dict[Metric, tuple[str, ...]]] = {
    Metric.LOSS: ("loss", "train/loss", "train_loss", "Loss/train", "lm loss", "total_loss"),
    Metric.VAL_LOSS: ("val_loss", "eval/loss", "Loss/val", "validation_loss"),
    Metric.GRAD_NORM: ("grad_norm", "train/grad_norm", "gnorm", "grad-norm"),
    Metric.GRAD_NORM_CLIPPED: ("clipped_grad_norm", "grad_norm_clipped"),
    Metric.UPDATE_NORM: ("update_norm", "train/update_norm"),
    Metric.WEIGHT_NORM: ("weight_norm", "param_norm", "params-norm"),
    Metric.LR: ("lr", "learning_rate", "lr-AdamW", "train/learning_rate"),
    Metric.LOSS_SCALE: ("loss_scale", "scaler/scale", "grad_scale"),
    Metric.EXP_AVG_NORM: ("exp_avg_norm",),
    Metric.EXP_AVG_SQ_NORM: ("exp_avg_sq_norm",),
    Metric.MAX_LOGIT: ("max_attention_logit", "max_logit"),
    Metric.EPOCH: ("epoch", "train/epoch"),
    Metric.THROUGHPUT: ("samples_per_second", "tokens_per_sec"),
    Metric.STEP_TIME: ("step_time", "iter_time"),
    Metric.BATCH_SIZE: ("batch_size", "global_batch_size"),
    Metric.SKIPPED_STEPS: ("skipped_steps", "number of skipped iterations"),
    Metric.TRAIN_METRIC: ("train_acc", "accuracy", "train/f1"),
    Metric.VAL_METRIC: ("val_acc", "eval_accuracy", "val/mIoU"),
    Metric.REWARD: ("reward", "rollout/ep_rew_mean"),
    Metric.LOSS_COMPONENT: ("train/aux_loss", "train/box_loss"),
    Metric.VAL_LOSS_COMPONENT: ("val/box_loss",),
    Metric.LAYER_GRAD_NORM: ("grad_norm/layers.0.attn",),
}
