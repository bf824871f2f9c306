"""A term that holds the loss up, or a divergence from the prior that has gone to nothing."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.label import Kind
from spikedoc.text import Text

ASKED: Final = frozenset({Kind.COMPONENT_DOMINATES, Kind.NON_CONVERGENCE})


def _term_holds_loss(case: Case) -> Answer:
    seen = next((d for a in case.anomalies if (d := a.seen_as(Shape.HOLDS))), None)
    if seen is None:
        return UNKNOWN
    series, m = case.run.named(seen.signal), seen.measures
    name = seen.signal if series is None else series.spoken
    if "gone_last" in m:
        return saying(
            answer(True, name=name, first=short(m["gone_first"]), last=short(m["gone_last"])),
            "{name} went from {first} to {last} and nothing else was learned: its weight is too "
            "high for what the code could tell",
            "{name} 从 {first} 降到 {last}，其他什么也没学到：相对于编码能提供的信息，它的权重过高",
        )
    return answer(
        True,
        name=name,
        percent=short(m["held_percent"]),
        first=short(m["held_first"]),
        last=short(m["held_last"]),
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "term_holds_loss",
        Text(
            "Is one term nearly all of the loss, and does it stand still?",
            "是否有一项几乎占了全部损失，并且停滞不动？",
        ),
        Text(
            "{name} is {percent} % of the loss and stands still ({first} → {last}) while another "
            "term falls",
            "{name} 占损失的 {percent} %，停滞不动（{first} → {last}），而另一项在下降",
        ),
        Text("No term holds the loss up", "没有哪一项把损失顶住"),
        asked_of(ASKED, _term_holds_loss),
    ),
)
