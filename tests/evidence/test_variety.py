"""What collapsed, how fast, and what was gained since."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.DIVERSITY_COLLAPSE
N = 500
AT = np.arange(N) >= 200
CODES = np.where(AT, 10.0, 300.0)
SIGNAL = "other:codebook_perplexity"
MEASURES = {"before": 300.0, "after": 10.0}


def asked(ask, name, *, codes=CODES, measures=MEASURES, form=Form.CODES, **parts):
    parts = {"loss": np.where(AT, 1.0, 2.0), "extra": {"codebook_perplexity": codes}} | parts
    return ask(name, KIND, 201, 201, N, form=form, signal=SIGNAL, measures=measures, **parts)


def test_the_floor_is_told_with_both_levels(ask) -> None:
    found = asked(ask, "variety_at_floor")
    assert found.verdict is YES
    assert (found.values["before"], found.values["after"]) == (300.0, 10.0)
    assert "codebook_perplexity went from 300 to 10 (step 201)" in found.statement.en
    assert asked(ask, "variety_at_floor", measures={}).verdict is UNKNOWN
    assert ask("variety_at_floor", KIND, 201, loss=np.ones(N)).verdict is UNKNOWN
    assert ask("variety_at_floor", Kind.DIVERGENCE, 201, loss=np.ones(N)).verdict is UNKNOWN


def test_the_number_of_experts_has_a_sentence_of_its_own(ask) -> None:
    loads = {f"expert_{i}/load": np.where(AT, float(i == 1), 0.25) for i in range(4)}
    found = ask(
        "variety_at_floor",
        KIND,
        201,
        form=Form.EXPERTS,
        signal="other:expert_1/load",
        measures={"number_before": 4.0, "number_after": 1.0},
        loss=np.ones(N),
        extra=loads,
    )
    assert found.verdict is YES
    assert "spreads over 1 experts" in found.statement.en


@pytest.mark.parametrize(
    ("loss", "verdict"),
    [(np.where(AT, 1.0, 2.0), YES), (np.linspace(2.0, 1.0, N), NO)],
)
def test_what_was_gained_since(ask, loss, verdict) -> None:
    assert asked(ask, "nothing_gained_since", loss=loss).verdict is verdict


def test_without_a_judge_it_is_unknown(ask) -> None:
    only = ask(
        "nothing_gained_since", KIND, 201, signal=SIGNAL, extra={"codebook_perplexity": CODES}
    )
    assert only.verdict is UNKNOWN


@pytest.mark.parametrize(("length", "verdict"), [(3, YES), (9, YES), (10, NO), (100, NO)])
def test_within_a_fiftieth_of_the_log_it_is_sudden(ask, length, verdict) -> None:
    steps = np.arange(N)
    codes = np.interp(steps, [200 - length, 200 - 0.001, 200], [300.0, 269.0, 10.0])
    codes[200 - length + 1 : 200] = 200.0
    assert asked(ask, "collapses_at_once", codes=codes).verdict is verdict


def test_a_level_it_never_had_tells_no_length(ask) -> None:
    assert asked(ask, "collapses_at_once", measures={"before": 900.0}).verdict is UNKNOWN
    assert asked(ask, "collapses_at_once", measures={}).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("name", "form", "config", "verdict"),
    [
        ("entropy_weight_is_off", Form.POLICY, {"ent_coef": 0.0}, YES),
        ("entropy_weight_is_off", Form.POLICY, {"entropy_coeff": 0.01}, NO),
        ("entropy_weight_is_off", Form.POLICY, {"ent_coef": "auto"}, UNKNOWN),
        ("entropy_weight_is_off", Form.CODES, {"ent_coef": 0.0}, UNKNOWN),
        ("balance_weight_is_off", Form.EXPERTS, {"router_aux_loss_coef": 0}, YES),
        ("balance_weight_is_off", Form.EXPERTS, {"moe_aux_loss_coeff": 0.01}, NO),
        ("balance_weight_is_off", Form.EXPERTS, {}, UNKNOWN),
        ("balance_weight_is_off", Form.CODES, {"router_aux_loss_coef": 0}, UNKNOWN),
    ],
)
def test_weights_of_the_config(ask, name, form, config, verdict) -> None:
    assert asked(ask, name, form=form, config=config).verdict is verdict
