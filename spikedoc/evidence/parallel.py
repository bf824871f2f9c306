"""Series that run side by side: ranks and loss components."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, lacking, percent, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import aligned, correlation, jump
from spikedoc.signal.baseline import scatter
from spikedoc.text import Text

# One rank leads when its factor is this many times that of the next, and six robust deviations of
# the others beyond it.
RANKS_FEWEST: Final = 2
RANK_SIGMAS: Final = 6.0
LEAD_RATIO: Final = 3.0
AGREE_RATIO: Final = 2.0
# A component carries the noise when it explains 70 % of the differences of the total.
CARRIES: Final = 0.70
COMPONENTS_FEWEST: Final = 2
POINTS_FEWEST: Final = 30
# One component jumps while every other stays.
COMPONENT_JUMPS: Final = 3.0
COMPONENT_STAYS: Final = 1.5


def _rank_factors(case: Case) -> list[tuple[float, Series]]:
    """Return how far each rank rose at the onset, largest first; empty without per-rank series."""
    for metric in (Metric.GRAD_NORM, Metric.LOSS):
        found = []
        for series in case.run.ranks(metric):
            rise = jump(
                series.steps, series.values, case.anomaly.start_step, case.anomaly.peak_step
            )
            if rise is not None and not math.isnan(rise.factor):
                found.append((rise.factor, series))
        if len(found) >= RANKS_FEWEST:
            return sorted(found, key=lambda pair: -pair[0])
    return []


def _has_ranks(case: Case) -> bool:
    return bool(case.run.ranks(Metric.GRAD_NORM) or case.run.ranks(Metric.LOSS))


def _one_rank_leads(case: Case) -> Answer:
    if not _has_ranks(case):
        return UNKNOWN
    ranks = _rank_factors(case) if has_onset(case) else []
    if not ranks:
        return UNKNOWN
    factors = np.array([factor for factor, _ in ranks])
    first, second = float(factors[0]), float(factors[1])
    logs = np.log(np.maximum(np.minimum(factors, 1e300), 1e-300))
    spread = scatter(logs[1:])
    leads = first >= LEAD_RATIO and first >= LEAD_RATIO * second
    leads = leads and logs[0] - logs[1] > RANK_SIGMAS * spread
    name = ranks[0][1].rank
    return answer(
        leads, rank=-1 if name is None else name, factor=short(first), others=short(second)
    )


def _ranks_agree(case: Case) -> Answer:
    if not _has_ranks(case):
        return UNKNOWN
    ranks = _rank_factors(case) if has_onset(case) else []
    if not ranks:
        return UNKNOWN
    high, low = ranks[0][0], ranks[-1][0]
    return answer(
        low > 0 and high <= AGREE_RATIO * low, count=len(ranks), low=short(low), high=short(high)
    )


def _components(case: Case) -> tuple[Series, ...]:
    return case.run.all(Metric.LOSS_COMPONENT)


def _component_carries_noise(case: Case) -> Answer:
    loss, parts = case.run.get(Metric.LOSS), _components(case)
    if not parts:
        return lacking(Metric.LOSS_COMPONENT)
    if loss is None or len(parts) < COMPONENTS_FEWEST:
        return UNKNOWN
    shares: list[tuple[float, str]] = []
    for part in parts:
        total, own = aligned((loss.steps, loss.values), (part.steps, part.values))
        if total.size >= POINTS_FEWEST:
            together = correlation(np.diff(total), np.diff(own))
            shares.append((together * abs(together), part.spoken))
    if len(shares) < COMPONENTS_FEWEST:
        return UNKNOWN
    ranked = sorted(shares, reverse=True)
    best, name = ranked[0]
    # When all components swing together none of them is the source.
    alone = best >= CARRIES and ranked[1][0] < CARRIES
    return answer(alone, name=name, percent=percent(best))


def _component_leads(case: Case) -> Answer:
    parts = _components(case)
    if not parts:
        return lacking(Metric.LOSS_COMPONENT)
    if len(parts) < COMPONENTS_FEWEST or not has_onset(case):
        return UNKNOWN
    found = []
    for part in parts:
        rise = jump(part.steps, part.values, case.anomaly.start_step, case.anomaly.peak_step)
        if rise is not None and not math.isnan(rise.factor):
            found.append((rise.factor, part.spoken))
    if len(found) < COMPONENTS_FEWEST:
        return UNKNOWN
    found.sort(reverse=True)
    leads = found[0][0] >= COMPONENT_JUMPS and found[1][0] < COMPONENT_STAYS
    return answer(leads, name=found[0][1], factor=short(found[0][0]), others=short(found[1][0]))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "one_rank_leads",
        Text("Does one rank leave the others?", "是否有一个 rank 偏离其他 rank？"),
        Text(
            "Rank {rank} rose {factor}x at step {onset}, the next one {others}x: it began on one "
            "rank",
            "rank {rank} 在第 {onset} 步升高 {factor} 倍，其次的 rank 为 {others} 倍：异常始于单个"
            " rank",
        ),
        Text(
            "No rank stands out (the highest rose {factor}x, the next {others}x)",
            "没有突出的 rank（最高 {factor} 倍，其次 {others} 倍）",
        ),
        _one_rank_leads,
    ),
    Probe(
        "ranks_agree",
        Text("Do all ranks move together?", "所有 rank 是否同步变化？"),
        Text(
            "All {count} ranks move together ({low}x to {high}x): it is in the model, not in "
            "one shard",
            "{count} 个 rank 同步变化（{low} 到 {high} 倍）：问题在模型而不在某个分片",
        ),
        Text(
            "The {count} ranks do not move together ({low}x to {high}x)",
            "{count} 个 rank 变化不一致（{low} 到 {high} 倍）",
        ),
        _ranks_agree,
    ),
    Probe(
        "component_carries_noise",
        Text("Does one loss term carry the noise of the total?", "总损失的波动是否来自某一项？"),
        Text(
            "{percent} % of the swings of the loss come from {name}",
            "损失波动的 {percent} % 来自 {name}",
        ),
        Text(
            "No single term carries the swings of the loss (most: {name}, {percent} %)",
            "损失的波动并非来自单独某一项（最多的是 {name}，{percent} %）",
        ),
        _component_carries_noise,
    ),
    Probe(
        "component_leads",
        Text("Did one loss term jump alone?", "是否只有某一项损失跳升？"),
        Text(
            "{name} rose {factor}x, the other terms at most {others}x",
            "{name} 升高 {factor} 倍，其他各项最多 {others} 倍",
        ),
        Text(
            "No term jumped alone ({name} {factor}x, next {others}x)",
            "没有单独跳升的损失项（{name} {factor} 倍，其次 {others} 倍）",
        ),
        _component_leads,
    ),
)
