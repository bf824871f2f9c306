"""The closed sets of labels: ids that other programs rely on."""

from __future__ import annotations

import re

from spikedoc.model.label import FORMS, Form, Kind, Severity

# The kinds and forms of the contract. Adding is free, renaming breaks readers of the JSON report.
CONTRACT = {
    "isolated-spike": "", "slow-recovery": "", "level-shift": "up down", "sustained-drift": "",
    "divergence": "to-nonfinite finite", "periodic-spikes": "epoch fixed-period after-evaluation",
    "nonfinite": "from-start transient persistent masked",
    "non-convergence": "flat plateau slow constant-zero",
    "oscillation": "noise wave bursts growing", "overfitting": "", "metric-damage": "",
    "gradient-ramp": "", "gradient-explosion": "", "gradient-vanishing": "", "update-spike": "",
    "lr-discontinuity": "jump reset restart mismatch",
    "loss-scale-collapse": "chain floor staircase", "clip-saturated": "", "clip-inactive": "",
    "resume-discontinuity": "", "rank-outlier": "", "component-dominates": "",
    "first-loss-off": "above below",
}  # fmt: skip


def test_no_kind_or_form_was_renamed() -> None:
    for kind, forms in CONTRACT.items():
        known = {form.value for form in FORMS.get(Kind(kind), ())}
        assert known >= set(forms.split()), kind


def test_ids_are_lower_case_words_joined_by_hyphens() -> None:
    for member in (*Kind, *Form, *Severity):
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", member.value)


def test_every_form_belongs_to_a_kind() -> None:
    assert {form for forms in FORMS.values() for form in forms} == set(Form)


def test_severities_are_ordered() -> None:
    assert [s.rank for s in (Severity.INFO, Severity.WARNING, Severity.CRITICAL)] == [0, 1, 2]
