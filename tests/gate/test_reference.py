"""What the gate says of a run beside healthy ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from healthy_project import changed, healthy, without

from spikedoc.gate.reference import reference_checks
from spikedoc.gate.verdict import Check, Outcome
from spikedoc.model.run import Run
from spikedoc.reference.build import build

REFERENCE = build([healthy(seed) for seed in range(5)])


def checks(run: Run) -> dict[str, Check]:
    found = reference_checks(run, REFERENCE)
    assert len({check.id for check in found}) == len(found)
    return {check.id: check for check in found}


def test_a_check_per_signal_and_one_for_all() -> None:
    found = checks(healthy(50))
    assert {check.outcome for check in found.values()} == {Outcome.PASSED}
    assert set(found) == {"reference", *(f"reference:{b.signal}" for b in REFERENCE.bands)}
    assert found["reference"].message.en == (
        "7 signals compared, none leaves the band of 5 healthy runs"
    )
    assert found["reference:loss"].message.zh == "loss 保持在 5 次健康训练的区间之内"


def test_the_first_to_leave_is_said_with_step_and_distance() -> None:
    run = changed(changed(healthy(50), "grad_norm", 20.0, 300), "loss", 5.0, 700)
    found = checks(run)
    first = found["reference"]
    assert (first.outcome, first.signal, first.step) == (Outcome.FAILED, "grad_norm", 300)
    assert first.message.en.startswith("grad_norm left its band first, at step 300, by ")
    assert first.message.en.endswith(" band widths; then loss at step 700")
    assert first.message.zh.startswith("grad_norm 最先离开区间，在第 300 步，超出 ")
    said = found["reference:loss"].message
    assert said.en.startswith(
        "loss rises above the band of 5 healthy runs at step 700, its level reaching "
    )
    assert said.zh.startswith("loss 自第 700 步起高于 5 次健康训练的区间，分段中位数最高达到 ")
    assert found["reference:loss"].outcome is Outcome.FAILED
    assert found["reference:lr"].outcome is Outcome.PASSED


def test_better_than_healthy_is_told_and_passes() -> None:
    found = checks(changed(healthy(50), "loss", 0.2))
    assert found["reference"].outcome is Outcome.PASSED
    assert found["reference:loss"].outcome is Outcome.WARNED
    assert " falls below " in found["reference:loss"].message.en


def test_not_finite() -> None:
    found = checks(changed(healthy(50), "loss", np.nan))
    assert found["reference"].message.en.endswith("at step 500: it is not finite")
    assert found["reference:loss"].message.en.startswith("loss is not finite from step 500 on (")
    assert "inf" not in found["reference:loss"].message.en


def test_what_is_missing_or_short_is_told() -> None:
    found = checks(without(healthy(50, 400), "lr", "other:act"))
    told = {name for name, check in found.items() if check.outcome is Outcome.WARNED}
    assert told == {"reference:lr", "reference:length"}
    assert "ends at step 400" in found["reference:length"].message.en
    assert found["reference:lr"].message.en == "lr was not logged; 5 healthy runs logged it"


def test_a_gate_that_compared_nothing_is_not_green() -> None:
    found = checks(without(healthy(50), *(band.signal for band in REFERENCE.bands)))
    assert [check.outcome for check in found.values()] == [Outcome.FAILED]


def test_a_hostile_name_is_only_a_name() -> None:
    odd = changed(healthy(50), "loss", 5.0)
    name = "{level} {beyond} ::error::\x1b[31m"
    parts = tuple(replace(s, name=name) if s.name == "loss" else s for s in odd.series)
    sane = [
        replace(r, series=tuple(replace(s, name=name) if s.name == "loss" else s for s in r.series))
        for r in (healthy(1), healthy(2))
    ]
    found = reference_checks(replace(odd, series=parts), build(sane))
    said = next(check.message for check in found if check.id.endswith(": :error::"))
    assert "\x1b" not in said.en
    assert said.en.startswith("{level} ")


def test_fingerprints_hold_no_value() -> None:
    one, other = (checks(changed(healthy(50), "loss", factor)) for factor in (3.0, 5.0))
    assert [c.fingerprint for c in one.values()] == [c.fingerprint for c in other.values()]
