from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.pipeline import analyze_all

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
BROKEN = np.where(np.arange(1000) < 599, 1.0, np.nan)


def message(operation: str) -> str:
    return f"RuntimeError: Function '{operation}' returned nan values in its 0th output."


def asked(ask, probe: str, *lines: str, kind: Kind = Kind.NONFINITE):
    events = [(600, line) for line in lines]
    return ask(probe, kind, 600, 600, 1000, form=Form.PERSISTENT, loss=BROKEN, events=events)


@pytest.mark.parametrize(
    ("operation", "edge", "product"),
    [
        ("LogBackward0", YES, NO),
        ("SqrtBackward0", YES, NO),
        ("BinaryCrossEntropyBackward0", YES, NO),
        ("AddmmBackward0", NO, YES),
        ("SoftmaxBackward0", NO, YES),
        ("CatBackward0", NO, NO),
    ],
)
def test_the_operation_decides(ask, operation, edge, product) -> None:
    found = asked(ask, "nan_from_an_edge", message(operation))
    assert (found.verdict, found.values["step"]) == (edge, 600)
    assert found.values["name"] == operation.removesuffix("Backward0")
    assert asked(ask, "nan_from_a_product", message(operation)).verdict is product


@pytest.mark.parametrize(
    ("line", "name", "edge"),
    [
        ("lib/transform.py:36: RuntimeWarning: invalid value encountered in log", "log", YES),
        ("RuntimeWarning: divide by zero encountered in sqrt", "sqrt", YES),
        ("W ctc_loss_calculator.cc:144] No valid path found.", "CTC", YES),
        ("WARNING: label length exceeds the input length in sample 7", "CTC", YES),
    ],
)
def test_numpy_and_ctc_name_their_operation(ask, line, name, edge) -> None:
    found = asked(ask, "nan_from_an_edge", line)
    assert (found.verdict, found.values["name"]) == (edge, name)
    assert asked(ask, "nan_from_a_product", line).verdict is NO


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeWarning: invalid value encountered in double_scalars",
        "RuntimeWarning: invalid value encountered in greater_equal",
        "RuntimeWarning: overflow encountered in exp",
    ],
)
def test_other_warnings_of_numpy_name_nothing(ask, line) -> None:
    assert asked(ask, "nan_from_an_edge", line).verdict is UNKNOWN


def test_the_first_of_two_messages_counts(ask) -> None:
    lines = (message("SqrtBackward0"), message("MmBackward0"))
    assert asked(ask, "nan_from_an_edge", *lines).values["name"] == "Sqrt"


@pytest.mark.parametrize("line", ["", "Traceback (most recent call last):", "loss is nan", "Log"])
def test_other_messages_say_nothing(ask, line) -> None:
    for probe in ("nan_from_an_edge", "nan_from_a_product"):
        assert asked(ask, probe, line).verdict is UNKNOWN


def test_of_a_spike_it_is_not_asked(ask) -> None:
    line = message("LogBackward0")
    found = asked(ask, "nan_from_an_edge", line, kind=Kind.ISOLATED_SPIKE)
    assert found.verdict is UNKNOWN


def test_the_message_of_a_printed_log_reaches_the_report(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = [f"step {n} loss {2 / n**0.5 * rng.lognormal(0, 0.05):.4f}" for n in range(1, 301)]
    lines += ["step 301 loss nan", "Traceback (most recent call last):", message("LogBackward0")]
    log = tmp_path / "train.log"
    log.write_text("\n".join(lines) + "\n")
    (report,) = analyze_all(log)
    first = report.causes[0]
    assert first.rule.code == "SD404"
    (named,) = [e for e in first.evidence if e.probe == "nan_from_an_edge"]
    assert (named.verdict, named.values["name"], named.values["step"]) == (YES, "Log", 301)
