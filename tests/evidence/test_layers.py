from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.ISOLATED_SPIKE
NAMES = ("embed", "block.0", "block.1", "head")


def layers(lifted: dict[str, float], at: int = 600) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    out = {}
    for name in NAMES:
        values = np.exp(rng.normal(0, 0.1, 1000))
        values[at - 1] *= lifted.get(name, 1.0)
        out[f"grad_norm/{name}"] = values
    return out


def test_one_layer(ask, falling) -> None:
    found = ask("one_layer_leads", KIND, 600, loss=falling, layers=layers({"embed": 40.0}))
    assert (found.verdict, found.values["name"]) == (YES, "grad_norm/embed")
    assert found.values["factor"] == pytest.approx(40, rel=0.4)


def test_a_bad_batch_lifts_all_layers(ask, falling) -> None:
    parts = layers(dict.fromkeys(NAMES, 40.0))
    assert ask("one_layer_leads", KIND, 600, loss=falling, layers=parts).verdict is NO


def test_calm_layers(ask, falling) -> None:
    assert ask("one_layer_leads", KIND, 600, loss=falling, layers=layers({})).verdict is NO


def test_without_layers_they_are_asked_for(ask, falling) -> None:
    found = ask("one_layer_leads", KIND, 600, loss=falling)
    assert (found.verdict, found.missing) == (UNKNOWN, (Metric.LAYER_GRAD_NORM,))
    two = dict(list(layers({"embed": 40.0}).items())[:2])
    assert ask("one_layer_leads", KIND, 600, loss=falling, layers=two).verdict is UNKNOWN


def activations(**jumps: tuple[int, float]) -> dict[str, np.ndarray]:
    out = {f"act/{name}/absmax": np.ones(1000) for name in ("layer1", "layer2", "layer3")}
    for name, (step, factor) in jumps.items():
        out[f"act/{name}/absmax"][step - 1 : step + 3] *= factor
    return out


def test_the_first_layer_that_jumps_is_named_not_the_largest(ask, falling) -> None:
    parts = activations(layer2=(600, 50.0), layer3=(601, 1e8))
    found = ask("activation_jumps", KIND, 600, 602, loss=falling, extra=parts)
    assert (found.verdict, found.values["name"]) == (YES, "act/layer2/absmax")
    assert (found.values["step"], found.values["factor"]) == (600, 50)


def test_less_than_tenfold_is_no_jump(ask, falling) -> None:
    parts = activations(layer2=(600, 5.0))
    found = ask("activation_jumps", KIND, 600, loss=falling, extra=parts)
    assert (found.verdict, found.values["name"]) == (NO, "act/layer2/absmax")


@pytest.mark.parametrize("tag", ["memory/max", "extract/std", "max_length", "hidden_size"])
def test_other_series_are_no_activations(ask, falling, tag) -> None:
    values = np.ones(1000)
    values[599] = 1e6
    parts = {"loss": falling, "extra": {tag: values}}
    assert ask("activation_jumps", KIND, 600, **parts).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [
        *(((3.0, 1.0, 1.0), YES), ((2.99, 0.5, 0.5), NO)),
        *(((9.0, 3.0, 3.0), YES), ((8.9, 3.0, 3.0), NO), ((9.0, 4.0, 3.0, 1.0), YES)),
        ((9.0, 9.0), UNKNOWN),
    ],
)
def test_a_layer_that_leads_the_middle_one_threefold(ask, factors, verdict: Verdict) -> None:
    lifted = {f"layer{i}": pieces((599, 1.0), (401, factor)) for i, factor in enumerate(factors)}
    found = ask("one_layer_leads", KIND, 600, loss=np.ones(1000), layers=lifted)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        told = {"name": "layer0", "factor": factors[0], "others": np.median(factors[1:])}
        assert found.values == told


@pytest.mark.parametrize(("factor", "verdict"), [(10.0, YES), (9.9, NO)])
def test_an_activation_that_jumps_tenfold(ask, factor: float, verdict: Verdict) -> None:
    found = ask(
        "activation_jumps", KIND, 600, loss=np.ones(1000), extra=activations(layer2=(600, factor))
    )
    assert (found.verdict, found.values["factor"]) == (verdict, factor)
