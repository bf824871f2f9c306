"""What each role of a series means, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spikedoc.model.metric import Metric
from spikedoc.text import Text

ROLES: Final[Mapping[Metric, Text]] = {
    Metric.LOSS: Text(
        "Training loss, the series a run is judged by.", "训练损失，判断一次训练的主要依据。"
    ),
    Metric.VAL_LOSS: Text("Loss on held-out data.", "留出数据（验证集）上的损失。"),
    Metric.GRAD_NORM: Text(
        "Global L2 norm of the gradients, before clipping.", "全局梯度的 L2 范数，裁剪之前。"
    ),
    Metric.GRAD_NORM_CLIPPED: Text("The same after clipping.", "裁剪之后的梯度范数。"),
    Metric.UPDATE_NORM: Text(
        "L2 norm of the change of all parameters in one step.", "一步之内全部参数改变量的 L2 范数。"
    ),
    Metric.WEIGHT_NORM: Text("L2 norm of all parameters.", "全部参数的 L2 范数。"),
    Metric.LR: Text(
        "Learning rate; of several parameter groups the one most of them share.",
        "学习率；有多个参数组时，取多数组共用的那一个。",
    ),
    Metric.LOSS_SCALE: Text(
        "Scale of the dynamic scaler of fp16 training.", "fp16 训练中动态损失缩放的系数。"
    ),
    Metric.EXP_AVG_NORM: Text("Norm of Adam's first moment.", "Adam 一阶矩的范数。"),
    Metric.EXP_AVG_SQ_NORM: Text("Norm of Adam's second moment.", "Adam 二阶矩的范数。"),
    Metric.MAX_LOGIT: Text("Largest attention logit.", "最大的注意力 logit。"),
    Metric.EPOCH: Text("Epoch, whole or fractional.", "训练轮数（epoch），整数或小数。"),
    Metric.THROUGHPUT: Text("Work per second: higher is faster.", "每秒处理的数据量，越高越快。"),
    Metric.STEP_TIME: Text("Time of one step: lower is faster.", "一步所用的时间，越低越快。"),
    Metric.BATCH_SIZE: Text("Samples in one step.", "一步所用的样本数。"),
    Metric.SKIPPED_STEPS: Text(
        "Steps that were skipped because of overflow or NaN.", "因溢出或 NaN 而跳过的步数。"
    ),
    Metric.TRAIN_METRIC: Text(
        "Accuracy and the like on training data.", "训练数据上的准确率等指标。"
    ),
    Metric.VAL_METRIC: Text(
        "Accuracy and the like on held-out data.", "留出数据（验证集）上的准确率等指标。"
    ),
    Metric.REWARD: Text("Reward or return of an episode.", "一个回合的奖励或回报。"),
    Metric.LOSS_COMPONENT: Text("One term of the training loss.", "训练损失中的一项。"),
    Metric.VAL_LOSS_COMPONENT: Text("One term of the validation loss.", "验证损失中的一项。"),
    Metric.LAYER_GRAD_NORM: Text(
        "L2 norm of the gradients of one layer.", "单个层的梯度的 L2 范数。"
    ),
    Metric.OTHER: Text(
        "Kept and named in the report; nothing else is made of it.",
        "保留并在报告中列出，除此之外不作判断。",
    ),
}
