"""What a shared place proves, and on which condition: the same data only in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.cleaning import name
from spikedoc.coincidence.trace import DATA_SEEDS, Trace
from spikedoc.text import Text, format_value, listed

NAMES_TOLD: Final = 4
SHARED: Final = Text("The same place in several runs", "多次训练的同一处")


def describe(
    view: str,
    first: int,
    last: int,
    runs: Sequence[tuple[str, Trace]],
    among: int,
    chance: float,
) -> tuple[bool, Text]:
    """Return whether the data are the likeliest explanation, and the statement."""
    place = _place(view, first, last)
    names = listed((name(called) for called, _ in runs), NAMES_TOLD)
    odds = _odds(chance)
    traces = [trace for _, trace in runs]
    points, proof = PROOFS[_order(traces)]
    batch = _batch(view, first, last, traces)
    return points, Text(
        f"{place.en} spikes in {len(runs)} of {among} runs ({names.en}). Unrelated spikes would "
        f"meet like this with probability {odds.en}. {proof.en}{batch.en}",
        f"{place.zh}在 {among} 次训练中的 {len(runs)} 次出现尖峰（{names.zh}）。互不相关的尖峰"
        f"如此重合的概率{odds.zh}。{proof.zh}{batch.zh}",
    )


def _place(view: str, first: int, last: int) -> Text:
    span = str(first) if first == last else f"{first}-{last}"
    return {
        "step": Text(f"Step {span}", f"第 {span} 步"),
        "epoch-phase": Text(f"Step {span} of the epoch", f"每个 epoch 的第 {span} 步"),
        "samples": Text(f"Sample {span}", f"第 {span} 个样本处"),
    }[view]


def _odds(chance: float) -> Text:
    if chance < 1e-6:
        return Text("below 1e-06", "低于 1e-06")
    shown = format_value(float(f"{chance:.0e}"))
    return Text(f"at most {shown}", f"不超过 {shown}")


def _order(traces: Sequence[Trace]) -> str:
    """What is recorded about the order of the data: the same, another one, or nothing."""
    if all(trace.unshuffled for trace in traces):
        return "unshuffled"
    for key in DATA_SEEDS:
        seeds = [trace.seeds.get(key) for trace in traces]
        if None not in seeds:
            return "same" if len(set(seeds)) == 1 else "different"
    return "unknown"


PROOFS: Final = {
    "unshuffled": (
        True,
        Text(
            "The data were not shuffled: it is in the data at that place, not in the settings.",
            "数据没有打乱：问题出在该处的数据，而不在各次训练的设置。",
        ),
    ),
    "same": (
        True,
        Text(
            "The seed is the same in all of them: if it also orders the data, as is usual, it is "
            "in the data at that place.",
            "它们的种子相同：如果数据顺序也由该种子决定（通常如此），问题就出在该处的数据。",
        ),
    ),
    "different": (
        False,
        Text(
            "Their seeds differ: unless the order of the data does not depend on the seed, this is "
            "something tied to the step (schedule, evaluation, saving), not the data.",
            "它们的种子不同：除非数据顺序不受种子影响，否则这是与步数绑定的事件"
            "（学习率调度、评估、保存），而不是数据。",
        ),
    ),
    "unknown": (
        False,
        Text(
            "No seed is recorded: if the order of the data was the same, it is in the data there; "
            "else something tied to the step.",
            "没有记录种子：如果数据顺序相同，问题在该处的数据；否则是与步数绑定的事件。",
        ),
    ),
}


def _batch(view: str, first: int, last: int, traces: Sequence[Trace]) -> Text:
    """Which samples these are in the order of reading, where the batch is known."""
    sizes = {(trace.batch_size, trace.accumulation) for trace in traces}
    size, grown = next(iter(sizes)) if len(sizes) == 1 else (None, None)
    begin = min(trace.first for trace in traces)
    if view == "samples" or size is None or grown != 1 or begin > 1:
        return Text("", "")
    low, high = (first - begin) * size, (last - begin + 1) * size - 1
    return Text(
        f" In the order of reading these are samples {low} to {high}, counted from 0.",
        f"按读取顺序，是第 {low} 到 {high} 个样本（从 0 计）。",
    )
