"""The window in which runs are steady, and the value to use – or why none can be named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from spikedoc.cleaning import name
from spikedoc.model.run import ConfigValue
from spikedoc.sweep.members import BROKEN, Judged
from spikedoc.sweep.result import Kind, Outcome, Proposal, Setting, Value
from spikedoc.sweep.setting import number
from spikedoc.text import Text, format_value, listed

# From the largest steady rate to the lowest that broke: the usual advice is to stay a factor of
# three to ten below. A longer training, another seed and deeper layers all eat of it.
MARGIN: Final = 3.0
# How far a sweep is extended at a time: half a decade, as sweeps are spaced.
FURTHER: Final = math.sqrt(10.0)
FEWEST_VALUES: Final = 3
SHAKY: Final = frozenset({*BROKEN, Outcome.UNSTABLE, Outcome.UNSTABLE_LATE})


def window(values: Sequence[Value]) -> tuple[float, float] | None:
    """Return the lowest and highest number of the steady values around the best, side by side."""
    best: list[Value] = []
    current: list[Value] = []
    for value in [*values, None]:
        if (
            value is not None
            and value.outcome is Outcome.STEADY
            and number(value.value) is not None
        ):
            current.append(value)
            continue
        if len(current) > len(best) or (current and _level(current) < _level(best)):
            best = current
        current = []
    if not best:
        return None
    low, high = number(best[0].value), number(best[-1].value)
    return None if low is None or high is None else (low, high)


def _level(values: Sequence[Value]) -> float:
    return min((v.level for v in values if v.level is not None), default=math.inf)


def propose(judged: Judged, setting: Setting) -> Proposal:
    """Return the value to use for the setting, or why it cannot be told."""
    values = judged.values
    if len(values) < 2:
        return _untold("all runs have the same value", "所有训练的取值相同")
    if judged.best is None:
        return _none_sound(values, setting)
    if len(values) < FEWEST_VALUES:
        return _two_values(judged)
    if not setting.is_rate or any(number(value.value) is None for value in values):
        return _best_of(judged)
    return _rate(judged)


def _rate(judged: Judged) -> Proposal:
    """The largest steady rate that is as good as the best and stays clear of the broken ones."""
    values = judged.values
    steady = [at for at in judged.tied() if values[at].outcome is Outcome.STEADY]
    if not steady:
        return _untold(
            "the runs with the lowest loss are themselves unstable",
            "损失最低的训练本身就不稳定",
        )
    if len(steady) == len(values):
        return _all_alike(judged, is_rate=True)
    high = max(steady)
    above = [at for at in range(high + 1, len(values)) if values[at].outcome is not Outcome.UNKNOWN]
    if not above:
        return _extend_up(values[high].value)
    shaky = [at for at in above if values[at].outcome in SHAKY]
    if high == 0 and shaky:
        return _extend_down(values)
    return _with_margin(values, steady, shaky)


def _with_margin(values: Sequence[Value], steady: Sequence[int], shaky: Sequence[int]) -> Proposal:
    high = max(steady)
    if not shaky:
        en = "the values above it are steady but end higher"
        return _proposed(values[high].value, en, "更大的取值虽然稳定，但最终损失更高")
    limit = values[min(shaky)]
    safe = [at for at in steady if _ratio(values[at].value, limit.value) >= MARGIN]
    chosen = values[max(safe) if safe else high]
    factor = f"{_ratio(chosen.value, limit.value):.2g}"
    broken, how = shown_value(limit.value), NAMES[limit.outcome]
    en = (
        f"the largest that is steady and as good as the best; {broken} is {how.en}, {factor}x above"
    )
    zh = f"稳定且与最好者无差别的取值中最大的；{broken} 为“{how.zh}”，是它的 {factor} 倍"
    if not safe:
        en += (
            f": less than {MARGIN:g}x away, so keep a warm-up and clipping, or run a value between"
        )
        zh += f"：不足 {MARGIN:g} 倍，请保留预热和裁剪，或在两者之间再试一个值"
    return _proposed(chosen.value, en, zh)


def _ratio(low: ConfigValue, high: ConfigValue) -> float:
    a, b = number(low), number(high)
    return b / a if a and b else math.inf


def _best_of(judged: Judged) -> Proposal:
    """For settings without a direction: the best beyond chance, and whether it is at an edge."""
    tied = judged.tied()
    steady = [at for at in tied if judged.values[at].outcome is Outcome.STEADY]
    if not steady:
        return _untold(
            "the runs with the lowest loss are themselves unstable",
            "损失最低的训练本身就不稳定",
        )
    if len(tied) == len(judged.levels) > 1:
        return _all_alike(judged)
    place = judged.best if judged.best in steady else steady[0]
    best = judged.values[steady[0] if place is None else place]
    if len(steady) > 1:
        names = listed(shown_value(judged.values[at].value) for at in sorted(steady))
        return _proposed(
            best.value,
            f"lowest loss, though chance alone could order {names.en} differently",
            f"损失最低，但仅凭偶然也可能使 {names.zh} 的次序不同",
        )
    numbers = [number(value.value) for value in judged.values]
    if None not in numbers and best in (judged.values[0], judged.values[-1]):
        end = "low" if best is judged.values[0] else "high"
        side = "低" if end == "low" else "高"
        shown = shown_value(best.value)
        return Proposal(
            Kind.EXTEND_DOWN if end == "low" else Kind.EXTEND_UP,
            Text(
                f"The best value, {shown}, is at the {end} edge: extend the sweep.",
                f"最好的取值 {shown} 在{side}端边缘：请扩大扫描范围。",
            ),
        )
    return _proposed(best.value, "the lowest loss, beyond chance", "损失最低，且超出偶然差别")


def _two_values(judged: Judged) -> Proposal:
    """Of two values it can be said which ended lower, no more."""
    shaky = [value for value in judged.values if value.outcome in SHAKY]
    en, zh = "only two values were run, which make no window", "只有两个取值，定不出稳定区间"
    if shaky:
        return _untold(en, zh)
    tied = judged.tied()
    if len(tied) > 1:
        return _untold(
            f"{en}, and chance explains the difference between them",
            f"{zh}，而且两者之差可由偶然解释",
        )
    best = shown_value(judged.values[tied[0]].value)
    return _untold(
        f"{en}; {best} ended lower, beyond chance", f"{zh}；{best} 的损失更低，且超出偶然"
    )


def _none_sound(values: Sequence[Value], setting: Setting) -> Proposal:
    lost = all(value.outcome in SHAKY for value in values)
    if setting.is_rate and lost and number(values[0].value) is not None:
        return _extend_down(values)
    return _untold("no run ended in a way that can be compared", "没有一次训练以可比较的方式结束")


def _extend_up(top: ConfigValue) -> Proposal:
    further = _beyond(top, FURTHER)
    shown = shown_value(top)
    return Proposal(
        Kind.EXTEND_UP,
        Text(
            f"The best value, {shown}, is at the high edge and nothing above it was run, so where "
            f"training breaks is not known: extend the sweep to {further} and {_beyond(top, 10)}.",
            f"最好的取值 {shown} 位于高端边缘，更大的值没有试过，因此不知道从哪里开始失稳："
            f"请把扫描扩大到 {further} 和 {_beyond(top, 10)}。",
        ),
        number(further),
    )


def _extend_down(values: Sequence[Value]) -> Proposal:
    low = values[0].value
    further = _beyond(low, 1 / FURTHER)
    shown = shown_value(low)
    is_sound = values[0].outcome not in SHAKY
    en = f"Only the lowest value, {shown}, is steady" if is_sound else "No value was steady"
    zh = f"只有最小的取值 {shown} 稳定" if is_sound else "没有一个取值稳定"
    return Proposal(
        Kind.EXTEND_DOWN,
        Text(
            f"{en}: extend the sweep down to {further} and {_beyond(low, 0.1)}.",
            f"{zh}：请向下扩大扫描到 {further} 和 {_beyond(low, 0.1)}。",
        ),
        number(further),
    )


def _all_alike(judged: Judged, *, is_rate: bool = False) -> Proposal:
    if judged.noise.seeds is None:
        en = "the differences are no larger than the noise of single runs; run two or three seeds"
        en, zh = f"{en} per value", "差别不超过单次训练的噪声；请每个取值跑两三个种子"
    else:
        en = "the differences are no larger than the spread among seeds"
        zh = "差别不超过种子之间的离散"
    if is_rate:
        top = shown_value(judged.values[-1].value)
        en += f". Nothing broke up to {top}: higher rates can be tried, too"
        zh += f"。直到 {top} 都没有失稳：也可以再试更大的学习率"
    return _untold(en, zh)


def _proposed(value: ConfigValue, en: str, zh: str) -> Proposal:
    shown = shown_value(value)
    return Proposal(Kind.PROPOSED, Text(f"Use {shown}: {en}.", f"建议用 {shown}：{zh}。"), value)


def _untold(en: str, zh: str) -> Proposal:
    return Proposal(Kind.UNTOLD, Text(f"Cannot be told: {en}.", f"无法判断：{zh}。"))


def _beyond(value: ConfigValue, factor: float) -> str:
    """The value some way further on, with one digit, as people choose them."""
    return f"{float(f'{(number(value) or 0.0) * factor:.0e}'):g}"


def shown_value(value: ConfigValue) -> str:
    """Return a value as it is shown: numbers at readable length, text made safe."""
    return name(str(value)) if isinstance(value, bool | str) else format_value(value)


NAMES: Final = {
    Outcome.DIVERGING: Text("diverging", "发散"),
    Outcome.STUCK: Text("stuck", "学不动"),
    Outcome.UNSTABLE: Text("unstable", "不稳定"),
    Outcome.UNSTABLE_LATE: Text("unstable late", "后期不稳定"),
    Outcome.TOO_SLOW: Text("too slow", "过慢"),
    Outcome.WORSE: Text("steady, worse", "稳定但更差"),
    Outcome.STEADY: Text("steady", "稳定"),
    Outcome.UNKNOWN: Text("not judged", "无法判断"),
}
