"""What the reader of a sweep must know beside the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.cleaning import name
from spikedoc.sweep.members import Judged
from spikedoc.sweep.result import Origin, Outcome
from spikedoc.sweep.setting import RUN, Found
from spikedoc.text import Text, listed

NAMES_TOLD: Final = 5


def notes_of(judged: Judged, found: Found) -> tuple[Text, ...]:
    """Return the notes on one sweep: noise, seeds, short runs, what was not recorded for all."""
    notes = [_noise(judged, found), _short(judged.short), _apart(judged)]
    notes += [_partly(found), _series(found)]
    notes += [_length(judged, found), _batch(found)]
    return tuple(note for note in notes if note is not None)


def _noise(judged: Judged, found: Found) -> Text | None:
    noise = judged.noise
    if len(judged.levels) < 2 or found.setting.key == RUN:
        return None
    if noise.seeds is None:
        return Text(
            "One run per value: how far seeds alone move the loss is not known. Differences below "
            "three standard errors of a run, or 5 %, are not counted.",
            "每个取值只有一次训练：种子本身会让损失变动多少并不清楚。小于单次训练三倍标准误或 5 % "
            "的差别不算数。",
        )
    size = f"{100 * noise.seeds:.2g} %" if noise.log else f"{noise.seeds:.3g}"
    return Text(
        f"Seeds alone move the loss by {size} (standard deviation, {noise.freedom} degrees of "
        "freedom); only larger differences count, at the 1 % level.",
        f"仅更换种子就会让损失变动 {size}（标准差，自由度 {noise.freedom}）；只有更大的差别才算数"
        "（显著性水平 1 %）。",
    )


def _short(names: Sequence[str]) -> Text | None:
    if not names:
        return None
    shown = _listed(names)
    return Text(
        f"Not judged, since they ended before half of the others: {shown.en}",
        f"以下训练不到其他训练的一半就结束，未作判断：{shown.zh}",
    )


def _apart(judged: Judged) -> Text | None:
    if not judged.apart:
        return None
    shown = _listed(judged.apart)
    return Text(
        f"Not judged, since they log hardly a loss up to step {judged.step}, where the others are "
        f"compared: {shown.en}",
        f"其他训练在第 {judged.step} 步比较，以下训练到该步为止几乎没有记录损失，"
        f"未作判断：{shown.zh}",
    )


def _partly(found: Found) -> Text | None:
    if not found.partly:
        return None
    shown = _listed(found.partly)
    return Text(
        f"Recorded for some of the runs only, so whether they differ in it is not known: "
        f"{shown.en}",
        f"只有部分训练记录了以下设置，因此不知道它们是否不同：{shown.zh}",
    )


def _series(found: Found) -> Text | None:
    if found.setting.origin is not Origin.SERIES:
        return None
    return Text(
        "Neither configs nor names say what was changed: the values are the highest logged "
        "learning rates, and other settings may differ unseen.",
        "配置和名称都没有说明改了什么：这里的取值是记录到的最高学习率，其他设置是否不同看不出来。",
    )


def _length(judged: Judged, found: Found) -> Text | None:
    if not found.setting.is_rate or not any(v.outcome is Outcome.STEADY for v in judged.values):
        return None
    return Text(
        f"Judged on {judged.step} steps: a longer training may become unstable at a rate that was "
        "steady here.",
        f"以上结论基于 {judged.step} 步：在这里稳定的学习率，训练更久后仍可能失稳。",
    )


def _batch(found: Found) -> Text | None:
    if found.setting.key != "batch_size":
        return None
    return Text(
        "Compared at the same step, at which larger batches have seen more data.",
        "比较是在相同步数下进行的，此时批量更大的训练见过更多数据。",
    )


def _listed(names: Sequence[str]) -> Text:
    return listed(map(name, names), NAMES_TOLD)
