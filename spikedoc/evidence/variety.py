"""What collapsed, how fast, what was gained since, and whether anything held it up."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, percent, saying, setting, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.diversity import variety_named
from spikedoc.model.label import Form, Kind
from spikedoc.model.standing import standing_since
from spikedoc.text import Text

ASKED: Final = frozenset({Kind.DIVERSITY_COLLAPSE})
# Sudden: from nine tenths of the best level to the floor within a fiftieth of the log.
SUDDEN_SHARE: Final = 0.02
NEARLY: Final = 0.9
# Weights under the names of Stable-Baselines3, CleanRL, RLlib and verl; of transformers, Megatron
# and DeepSeek.
ENTROPY_WEIGHTS: Final = ("ent_coef", "entropy_coef", "entropy_coeff", "entropy_bonus")
BALANCE_WEIGHTS: Final = (
    "router_aux_loss_coef",
    "moe_aux_loss_coeff",
    "aux_loss_alpha",
    "load_balance_loss_coef",
    "lb_loss_weight",
)


def _variety_at_floor(case: Case) -> Answer:
    m, variety = case.anomaly.measures, variety_named(case.run, case.anomaly.signal)
    if variety is None:
        return UNKNOWN
    name, step = variety.series.spoken, case.anomaly.start_step
    if "number_after" in m:
        found = answer(
            True, name=name, before=short(m["number_before"]), after=short(m["number_after"])
        )
        return saying(
            found,
            "The load spreads over {after} experts, by its entropy; over {before} before",
            "按熵计算，负载只分布在 {after} 个专家上，此前为 {before} 个",
        )
    if "after" not in m:
        return UNKNOWN
    return answer(True, name=name, before=short(m["before"]), after=short(m["after"]), step=step)


def _nothing_gained_since(case: Case) -> Answer:
    found = standing_since(case.run, case.anomaly.start_step)
    if found is None:
        return UNKNOWN
    return answer(
        found.stands,
        name=found.series.spoken,
        after=short(found.after),
        end=short(found.end),
        step=case.anomaly.start_step,
    )


def _collapses_at_once(case: Case) -> Answer:
    variety = variety_named(case.run, case.anomaly.signal)
    before = case.anomaly.measures.get("before", case.anomaly.measures.get("number_before"))
    if variety is None or before is None or variety.quantity.rises:
        return UNKNOWN
    steps, values = variety.series.finite()
    high = steps[values >= NEARLY * abs(before)]
    high = high[high < case.anomaly.start_step]
    if high.size == 0:
        return UNKNOWN
    took = int(case.anomaly.start_step - high[-1])
    share = took / max(1, int(steps[-1] - steps[0]))
    return answer(share <= SUDDEN_SHARE, steps=took, percent=percent(share))


def _weight_is_off(case: Case, keys: tuple[str, ...]) -> Answer:
    known = ((key, setting(case, key)) for key in keys)
    key, value = next(((k, v) for k, v in known if v is not None), (None, None))
    if key is None or value is None:
        return UNKNOWN
    return answer(value == 0.0, key=key, value=value)


def _entropy_weight_is_off(case: Case) -> Answer:
    if case.anomaly.form is not Form.POLICY:
        return UNKNOWN
    return _weight_is_off(case, ENTROPY_WEIGHTS)


def _balance_weight_is_off(case: Case) -> Answer:
    if case.anomaly.form is not Form.EXPERTS:
        return UNKNOWN
    return _weight_is_off(case, BALANCE_WEIGHTS)


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "variety_at_floor",
        Text("Has what must stay up come to its floor?", "本应保持较高的量是否已经触底？"),
        Text(
            "{name} went from {before} to {after} (step {step}) and stayed",
            "{name} 由 {before} 变为 {after}（第 {step} 步），不再恢复",
        ),
        Text("Nothing that must stay up has collapsed", "没有应保持较高的量发生坍缩"),
        asked_of(ASKED, _variety_at_floor),
    ),
    Probe(
        "nothing_gained_since",
        Text("Was nothing gained since the collapse?", "坍缩之后是否再无收获？"),
        Text(
            "{name} gained nothing since step {step} ({after} → {end})",
            "自第 {step} 步起 {name} 没有改善（{after} → {end}）",
        ),
        Text(
            "{name} went on improving since step {step} ({after} → {end})",
            "第 {step} 步之后 {name} 仍在改善（{after} → {end}）",
        ),
        asked_of(ASKED, _nothing_gained_since),
    ),
    Probe(
        "collapses_at_once",
        Text("Did it collapse within a few records?", "是否在几条记录之内坍缩？"),
        Text(
            "It fell within {steps} steps, {percent} % of the log: a few updates did it",
            "在 {steps} 步之内跌落，占日志的 {percent} %：只是几次更新造成的",
        ),
        Text(
            "It took {steps} steps, {percent} % of the log: a steady pull, no single blow",
            "历时 {steps} 步，占日志的 {percent} %：是持续的牵引，而非一次冲击",
        ),
        asked_of(ASKED, _collapses_at_once),
    ),
    Probe(
        "entropy_weight_is_off",
        Text("Is the entropy bonus switched off?", "熵奖励是否已关闭？"),
        Text(
            "{key} is 0: nothing pays the policy for trying other actions",
            "{key} 为 0：尝试其他动作没有任何回报",
        ),
        Text("{key} is {value}: exploring is paid for", "{key} 为 {value}：探索是有回报的"),
        asked_of(ASKED, _entropy_weight_is_off),
    ),
    Probe(
        "balance_weight_is_off",
        Text("Is the balancing loss switched off?", "负载均衡损失是否已关闭？"),
        Text(
            "{key} is 0: nothing spreads the tokens over the experts",
            "{key} 为 0：没有任何机制把 token 分散到各个专家",
        ),
        Text("{key} is {value}: the load is balanced", "{key} 为 {value}：负载受到均衡"),
        asked_of(ASKED, _balance_weight_is_off),
    ),
)
