"""Which causes explain the anomalies of a run, and how likely each is.

For each anomaly every rule that can explain its kind starts with its prior weight. Each piece of
evidence multiplies the weight: what supports raises it, what refutes lowers it, what was not logged
leaves it alone. The weights of one anomaly are made shares of their sum, with a constant set aside
for causes the catalogue does not know. A rule's share for the run is the mean of its shares over
the anomalies, weighted by their severity, confidence and number: a cause that explains two beats
one that explains one. A rule without a moderate or at least two weak observations for it is never
named, whatever its prior, nor is one of which only weak signs are left because nothing that would
decide it was logged. Where something is wrong, a fault that explains harmless observations only is
not named, and what makes them harmless comes last. What a report gives as score is that share, its
odds scaled to how often such a cause was right: the order stays, and the number means something.
Numbers that break in a log without a gradient norm look the same whatever broke them: there a cause
without a sign that decides keeps its bare share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.knowledge import Domain, Rule, Weight
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric

# Factors for strengths 0..3; the judgement behind them: strong evidence x4, weak x1.6 – scaled so
# that three weak pieces equal one strong one.
SUPPORT_FACTOR: Final = (1.0, 1.6, 2.5, 4.5)
REFUTE_FACTOR: Final = (1.0, 0.65, 0.35, 0.1)
# Weight set aside for what the catalogue does not know.
OTHER_WEIGHT: Final = 4.0
# What explains the worst finding comes first …
SEVERITY_WEIGHT: Final = {Severity.INFO: 0.25, Severity.WARNING: 1.0, Severity.CRITICAL: 3.0}
# … and many findings of one label are one question: c of them weigh 1 + 1/2 + … + 1/c in all.
MIN_CONFIDENCE: Final = 0.1
# Causes below this share of the whole are not named.
MIN_SHARE: Final = 0.02
MAX_CAUSES: Final = 8
# A single weak sign (the run does learn, the lr is constant) fits every second run: it takes one of
# moderate strength, or two weak ones, to carry a name.
MIN_SUPPORT: Final = 2
# What answers at this strength decides a rule: four times as likely, or ten times less.
DECISIVE: Final = 3
# Without any such answer weak signs are signs of many rules at once; one moderate sign is not.
MIN_UNDECIDED: Final = 2

# A share is cautious: the pieces of evidence agree more often than independent ones would, and many
# rules stand beside each other that a reader would call one cause. Its odds times this are the odds
# of being right, on 81 runs with a known fault (some 260 named causes): fitted 7.7, and 6 to 10 in
# nine of ten resamplings of the faults; the low end, so as to promise too little rather than too
# much. `benchmarks/calibration.py` measures it anew.
SHARE_ODDS: Final = 6.0

# Of these nothing was measured that would scale the share of a cause which no sign decides.
BREAKS: Final = frozenset({Kind.NONFINITE})

Ask = Callable[[str, Anomaly], Evidence]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A rule with its share for the run, the indices of the anomalies it explains, and evidence."""

    rule: Rule
    share: float
    anomalies: tuple[int, ...]
    evidence: tuple[Evidence, ...]
    is_of_info: bool = False  # it explains harmless observations only
    is_unproved: bool = False  # numbers broke, and at most one sign of what broke them was logged

    @property
    def score(self) -> float:
        """Return how likely the rule is a right answer, from 0 to 1; it rises with the share."""
        return self.share if self.is_unproved else likelihood(self.share)


def likelihood(share: float) -> float:
    """Return how often a cause with this share of the weights is right, from 0 to 1."""
    return SHARE_ODDS * share / (1.0 + (SHARE_ODDS - 1.0) * share)


def rank(rules: Sequence[Rule], anomalies: Sequence[Anomaly], ask: Ask) -> tuple[Ranked, ...]:
    """Return the named causes of `anomalies`, likeliest first; `ask` answers one probe."""
    return named(candidates(rules, anomalies, ask))


def named(weighed: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return the candidates that may be named: supported, and not too far down.

    Causes of what asks for an explanation come before those of harmless observations. Where several
    rules stand for one cause of the same findings, the likeliest of them does.
    """
    found = [r for r in weighed if r.anomalies and r.share >= MIN_SHARE]
    found = sorted(found, key=lambda r: (r.is_of_info, r.is_unproved))
    return tuple(r for n, r in enumerate(found) if not _is_said(r, found[:n]))[:MAX_CAUSES]


def _is_said(one: Ranked, before: Sequence[Ranked]) -> bool:
    return any(
        other.rule.cause == one.rule.cause and set(one.anomalies) <= set(other.anomalies)
        for other in before
    )


def candidates(rules: Sequence[Rule], anomalies: Sequence[Anomaly], ask: Ask) -> list[Ranked]:
    """Return every rule that may explain an anomaly, likeliest first.

    A rule that no observation supports has no `anomalies`: it may not be named, but its open
    questions say what should have been logged and what to look at.
    """
    by_name = {rule.name: rule for rule in rules}
    totals: dict[str, float] = {}
    explained: dict[str, list[tuple[float, int, tuple[Evidence, ...]]]] = {}
    blind: set[int] = set()
    importances = _importances(anomalies)
    whole = sum(importances)
    is_quiet = all(anomaly.severity is Severity.INFO for anomaly in anomalies)
    for index, anomaly in enumerate(anomalies):
        weighed = _shares(rules, anomaly, ask)
        blind |= {index} if _is_blind(anomaly, weighed) else set()
        for name, share, evidence in weighed:
            part = importances[index] * share
            totals[name] = totals.get(name, 0.0) + part
            explained.setdefault(name, []).append((part, index, evidence))
    out = []
    for name, parts in explained.items():
        supported = [p for p in parts if _is_supported(by_name[name], p[2])]
        best = max(supported or parts, key=lambda p: p[0])
        where = tuple(index for _, index, _ in supported)
        of_info = all(anomalies[index].severity is Severity.INFO for index in where)
        if of_info and not is_quiet and by_name[name].domain is not Domain.BENIGN:
            where = ()
        unproved = bool(where) and all(
            i in blind and not _is_decided(by_name[name], e) for _, i, e in parts if i in where
        )
        out.append(Ranked(by_name[name], totals[name] / whole, where, best[2], of_info, unproved))
    return sorted(out, key=lambda r: (-r.share, r.rule.code))


def _is_blind(anomaly: Anomaly, weighed: Sequence[tuple[str, float, tuple[Evidence, ...]]]) -> bool:
    """Tell whether numbers break in a log without a gradient norm: it looks the same for all."""
    return anomaly.kind in BREAKS and any(
        Metric.GRAD_NORM in found.missing for _, _, evidence in weighed for found in evidence
    )


def _is_decided(rule: Rule, evidence: tuple[Evidence, ...]) -> bool:
    pairs = zip(rule.weights, evidence, strict=True)
    return any(w.supports >= DECISIVE and e.verdict is Verdict.SUPPORTS for w, e in pairs)


def _prior(rule: Rule, anomaly: Anomaly) -> int:
    return rule.priors.get(anomaly.label, rule.priors.get(anomaly.kind.value, 0))


def _importances(anomalies: Sequence[Anomaly]) -> list[float]:
    """Return the weight of each finding in the mean: c of one label share 1 + 1/2 + … + 1/c."""
    counts = Counter(anomaly.label for anomaly in anomalies)
    shared = {label: sum(1 / k for k in range(1, c + 1)) / c for label, c in counts.items()}
    return [
        SEVERITY_WEIGHT[a.severity] * max(a.confidence, MIN_CONFIDENCE) * shared[a.label]
        for a in anomalies
    ]


def _shares(
    rules: Sequence[Rule], anomaly: Anomaly, ask: Ask
) -> list[tuple[str, float, tuple[Evidence, ...]]]:
    weighted = []
    for rule in rules:
        prior = _prior(rule, anomaly)
        if not prior:
            continue
        evidence = tuple(_seen_by(w, ask(w.probe, anomaly)) for w in rule.weights)
        weighted.append((rule.name, prior * _factor(rule, evidence), evidence))
    total = OTHER_WEIGHT + sum(weight for _, weight, _ in weighted)
    return [(name, weight / total, evidence) for name, weight, evidence in weighted]


def _seen_by(weight: Weight, found: Evidence) -> Evidence:
    """Return the evidence as the rule takes it: an inverted probe's yes speaks against it."""
    if not weight.inverted or found.verdict is Verdict.UNKNOWN:
        return found
    supports = found.verdict is Verdict.REFUTES
    return replace(found, verdict=Verdict.SUPPORTS if supports else Verdict.REFUTES)


def _factor(rule: Rule, evidence: tuple[Evidence, ...]) -> float:
    factor = 1.0
    for weight, found in zip(rule.weights, evidence, strict=True):
        if found.verdict is Verdict.SUPPORTS:
            factor *= SUPPORT_FACTOR[weight.supports]
        elif found.verdict is Verdict.REFUTES:
            factor *= REFUTE_FACTOR[weight.refutes]
    return factor


def _is_supported(rule: Rule, evidence: tuple[Evidence, ...]) -> bool:
    pairs = list(zip(rule.weights, evidence, strict=True))
    signs = [w.supports for w, e in pairs if e.verdict is Verdict.SUPPORTS]
    decisive = [e for w, e in pairs if w.supports >= DECISIVE]
    undecided = bool(decisive) and all(e.is_unlogged for e in decisive)
    return sum(signs) >= MIN_SUPPORT and (not undecided or max(signs) >= MIN_UNDECIDED)
