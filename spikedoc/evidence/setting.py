"""What the config, the tags and the speed of the run say."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    UNKNOWN,
    answer,
    has_onset,
    lacking,
    percent,
    saying,
    setting,
    short,
)
from spikedoc.evidence._quality import first_directed
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.quality import is_poor_accuracy
from spikedoc.signal.around import finite, first_from, last_before
from spikedoc.signal.baseline import rolling_median, scatter
from spikedoc.text import Text

# Words in config keys or values that mean augmentation.
AUGMENTATION: Final = (
    *("augment", "mixup", "cutmix", "mosaic", "random_crop", "randaug", "autoaug", "noise_aug"),
    *("specaug", "color_jitter", "flip", "random_erasing"),
)
# Parts of tags of trainings whose loss need not fall.
MOVING_TARGET: Final = (
    *(
        "policy",
        "value_loss",
        "vf_loss",
        "rollout",
        "ep_rew",
        "episode",
        "entropy_loss",
        "approx_kl",
    ),
    *("rewards/", "reward", "gen_loss", "disc_loss", "g_loss", "d_loss", "loss_g", "loss_d", "gan"),
    *("dpo", "grpo", "ppo", "critic", "actor", "advantage", "logps/"),
)
# A level of throughput that moved by a tenth, and by more than its scatter explains.
SPEED_RATIO: Final = 1.10
SPEED_POINTS: Final = 20
SPEED_FEWEST: Final = 5
SPEED_SIGMAS: Final = 3.0
# A metric improves when it gains this share of its spread over the run.
IMPROVES_SHARE: Final = 0.3
# … and a hundredth of its value: an accuracy that settles from .5352 to .5378 tells nothing.
IMPROVES_LEAST: Final = 0.01
IMPROVES_FEWEST: Final = 4
# Half of what was won is lost again: no improvement, as for a reward that was won and lost.
LOST_SHARE: Final = 0.5
# A tenth of its spread below what it was before is said.
FALLEN_SHARE: Final = 0.1
FILLED: Final = ("0", "0.0", "none", "null", "false", "off", "")


def _label_smoothing_is_on(case: Case) -> Answer:
    value = setting(case, "label_smoothing")
    return UNKNOWN if value is None else answer(value > 0, value=value)


def _augmentation_in_config(case: Case) -> Answer:
    for key, value in case.run.config.items():
        words = f"{key}={value}".lower()
        if any(word in words for word in AUGMENTATION) and str(value).lower() not in FILLED:
            return answer(True, key=key, value=str(value))
    return UNKNOWN


def _throughput_changed(case: Case) -> Answer:
    series = case.run.get(Metric.THROUGHPUT) or case.run.get(Metric.STEP_TIME)
    if series is None:
        return lacking(Metric.THROUGHPUT, Metric.STEP_TIME)
    if not has_onset(case):
        return UNKNOWN
    before = last_before(series.steps, series.values, case.anomaly.start_step, SPEED_POINTS)
    after = first_from(series.steps, series.values, case.anomaly.start_step, SPEED_POINTS)
    if before.size < SPEED_FEWEST or after.size < SPEED_FEWEST:
        return UNKNOWN
    old, new = float(np.median(before)), float(np.median(after))
    if old <= 0 or new <= 0:
        return UNKNOWN
    ratio = max(old, new) / min(old, new)
    beyond = abs(new - old) > SPEED_SIGMAS * scatter(before) / SPEED_FEWEST**0.5
    return answer(
        ratio > SPEED_RATIO and beyond, before=short(old), after=short(new), name=series.spoken
    )


def _rl_or_gan_loss(case: Case) -> Answer:
    if not case.run.series:
        return UNKNOWN
    for series in case.run.series:
        tag = series.tag.lower()
        if series.metric is Metric.REWARD or any(word in tag for word in MOVING_TARGET):
            return answer(True, tag=series.tag)
    return answer(False, count=len(case.run.series))


def _quality_metric_improves(case: Case) -> Answer:
    # What is measured on the training data improves in every overfitting.
    trained = () if case.anomaly.kind is Kind.OVERFITTING else (Metric.TRAIN_METRIC,)
    found = first_directed(case.run, (Metric.REWARD, Metric.VAL_METRIC, *trained))
    if found is None:
        return lacking(Metric.VAL_METRIC)
    series, sign = found
    steps, values = finite(series.steps, series.values)
    # Of a loss that rises the calibration is asked; who hardly ever is right has none. What was won
    # before it rose is no answer.
    overfits = case.anomaly.kind is Kind.OVERFITTING
    values = values[steps >= case.anomaly.start_step] if overfits else values
    poor = overfits and is_poor_accuracy(series)
    if values.size < IMPROVES_FEWEST or poor:
        return UNKNOWN
    few, third = max(2, values.size // 10), max(1, values.size // 3)
    first, last = float(np.median(values[:few])), float(np.median(values[-third:]))
    low, high = np.quantile(values, (0.02, 0.98))
    spread = float(high - low)
    gain = sign * (last - first)
    least = max(IMPROVES_SHARE * spread, IMPROVES_LEAST * abs(first))
    better = spread > 0 and gain >= least
    shown = percent(gain / spread) if spread > 0 else 0.0
    told = answer(better, name=series.spoken, first=first, last=last, percent=shown)
    best = sign * float(rolling_median(sign * values[:-third], few).max())
    fallen = sign * (best - last)
    seen = max(FALLEN_SHARE * spread, IMPROVES_LEAST * abs(first))
    return _fallen_back(told, best) if better and fallen >= seen else told


def _fallen_back(told: Answer, best: float) -> Answer:
    """Return the answer on a quality that is better than at first and had been better still."""
    said = {name: told.values[name] for name in ("name", "first", "last")} | {"best": best}
    first, last = float(told.values["first"]), float(told.values["last"])
    if abs(best - last) > LOST_SHARE * abs(best - first):
        return saying(
            answer(False, **said),
            "{name} had come from {first} to {best} and fell back to {last}",
            "{name} 曾从 {first} 变为 {best}，之后回落到 {last}",
        )
    return saying(
        answer(True, **said),
        "{name} is better at the end than at the start ({first} → {last}), but was better still "
        "before ({best})",
        "{name} 末段优于初始（{first} → {last}），但此前曾更好（{best}）",
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "label_smoothing_is_on",
        Text("Is label smoothing on?", "是否启用了标签平滑？"),
        Text(
            "Label smoothing is {value}: the loss has a floor above zero",
            "标签平滑系数为 {value}，损失存在大于零的下限",
        ),
        Text("Label smoothing is off ({value})", "没有启用标签平滑（{value}）"),
        _label_smoothing_is_on,
        needs_config=("label_smoothing",),
    ),
    Probe(
        "augmentation_in_config",
        Text("Does the config name augmentation?", "配置中是否包含数据增强？"),
        Text(
            "The config names augmentation ({key} = {value})", "配置包含数据增强（{key} = {value}）"
        ),
        Text("The config names no augmentation", "配置不包含数据增强"),
        _augmentation_in_config,
    ),
    Probe(
        "throughput_changed",
        Text("Did the speed of training change?", "训练速度是否改变？"),
        Text(
            "{name} went from {before} to {after} at step {onset}",
            "第 {onset} 步起 {name} 从 {before} 变为 {after}",
        ),
        Text("{name} kept its level ({before} → {after})", "{name} 保持不变（{before} → {after}）"),
        _throughput_changed,
    ),
    Probe(
        "rl_or_gan_loss",
        Text(
            "Is it a training whose loss need not fall (RL, GAN, preference)?",
            "是否属于损失不必下降的训练（强化学习、GAN、偏好对齐）？",
        ),
        Text(
            "The tag {tag} belongs to reinforcement, adversarial or preference training: its "
            "loss need not fall",
            "标签 {tag} 属于强化学习、对抗或偏好训练，损失不下降也可能正常",
        ),
        Text(
            "No tag ({count} in all) points to reinforcement or adversarial training",
            "没有标签像强化学习或对抗训练（共 {count} 个）",
        ),
        _rl_or_gan_loss,
    ),
    Probe(
        "quality_metric_improves",
        Text("Does a quality metric improve over the run?", "质量指标在训练中是否改善？"),
        Text(
            "{name} improves over the run (level {first} → {last}, {percent} % of its range)",
            "{name} 在训练中改善（水平 {first} → {last}，占其变化范围的 {percent} %）",
        ),
        Text(
            "{name} does not improve over the run ({first} → {last})",
            "{name} 在训练中没有改善（{first} → {last}）",
        ),
        _quality_metric_improves,
    ),
)
