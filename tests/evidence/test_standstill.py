from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import synth

import spikedoc
from spikedoc.evidence.base import Case
from spikedoc.evidence.standstill import PROBES
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Source

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAN = np.nan
AT = np.arange(50, 1001, 50)


class TestLossRepeatsItsDigits:
    def ask(self, ask, loss: list[float], kind: Kind = Kind.NON_CONVERGENCE) -> Evidence:
        return ask("loss_repeats_its_digits", kind, 1, loss=np.array(loss), form=Form.FLAT)

    @pytest.mark.parametrize(("times", "verdict"), [(4, UNKNOWN), (5, YES)])
    def test_five_times_the_same(self, ask, times: int, verdict: Verdict) -> None:
        said = self.ask(ask, [1.9312, 1.9207, *[1.9105] * times])
        assert said.verdict is verdict
        if verdict is YES:
            assert dict(said.values) == {"value": 1.9105, "count": times}

    def test_the_same_throughout(self, ask) -> None:
        assert self.ask(ask, [1.9105] * 6).values["count"] == 6
        assert self.ask(ask, [1.9105] * 5).verdict is UNKNOWN  # nothing else in the log

    @pytest.mark.parametrize(
        ("value", "verdict"), [(0.69, UNKNOWN), (0.693, UNKNOWN), (0.6931, YES), (23.03, YES)]
    )
    def test_three_digits_repeat_by_rounding(self, ask, value: float, verdict: Verdict) -> None:
        assert self.ask(ask, [value + 0.1, *[value] * 6]).verdict is verdict

    def test_neighbours_on_the_grid_of_bf16_repeat(self, ask) -> None:
        assert self.ask(ask, [2.484375, *[2.453125] * 6]).verdict is UNKNOWN  # 159/64, 157/64

    @pytest.mark.parametrize("value", [0.0, np.nan])
    def test_zero_and_nan_are_asked_elsewhere(self, ask, value: float) -> None:
        assert self.ask(ask, [1.0, *[value] * 6]).verdict is UNKNOWN

    def test_other_kinds_are_not_asked(self, ask) -> None:
        assert self.ask(ask, [2.0, *[1.9105] * 6], Kind.DIVERGENCE).verdict is UNKNOWN


class TestZeroContradictsAccuracy:
    def ask(self, ask, accuracy: list[float], tag: str = "acc") -> Evidence:
        zero = np.zeros(len(accuracy))
        parts = {"loss": zero, "train_metric": np.array(accuracy), "tags": {"train_metric": tag}}
        return ask("zero_contradicts_accuracy", Kind.NON_CONVERGENCE, 1, **parts)

    @pytest.mark.parametrize(("accuracy", "verdict"), [(0.5, YES), (0.89, YES), (0.9, NO)])
    def test_wrong_answers_cost_something(self, ask, accuracy: float, verdict: Verdict) -> None:
        said = self.ask(ask, [accuracy, accuracy])
        assert (said.verdict, said.values["accuracy"]) == (verdict, accuracy)

    @pytest.mark.parametrize("accuracy", [50.1, -0.5, np.nan])
    def test_what_is_no_share_says_nothing(self, ask, accuracy: float) -> None:
        assert self.ask(ask, [accuracy, accuracy]).verdict is UNKNOWN

    def test_another_metric_says_nothing(self, ask) -> None:
        assert self.ask(ask, [0.5, 0.5], "train/f1").verdict is UNKNOWN

    @pytest.mark.parametrize(("before", "verdict"), [(0.0, YES), (0.7, UNKNOWN)])
    def test_learned_by_heart_costs_nothing_though_held_out_answers_are_wrong(
        self, ask, before: float, verdict: Verdict
    ) -> None:
        said = ask(
            "zero_contradicts_accuracy",
            Kind.NON_CONVERGENCE,
            2,
            loss=np.array([before, 0.0, 0.0]),
            val_metric=np.array([0.5, 0.6, 0.6]),
            tags={"val_metric": "val_acc"},
        )
        assert said.verdict is verdict

    def test_only_where_the_loss_is_zero(self, ask) -> None:
        said = ask(
            "zero_contradicts_accuracy",
            Kind.NON_CONVERGENCE,
            3,
            loss=np.array([0.7, 0.6, 0.0, 0.0]),
            train_metric=np.array([0.5, 0.5, 1.0, 1.0]),
            tags={"train_metric": "acc"},
        )
        assert said.verdict is NO


@pytest.mark.parametrize(
    ("loss", "verdict", "values"),
    [
        ([0.0] * 5, YES, {"count": 5, "others": 0, "highest": 0.0}),
        ([NAN, *[0.0] * 5], YES, {"count": 5, "others": 0, "highest": 0.0}),
        ([2.0, 1.5, 0.0, 0.0, 0.0], NO, {"count": 5, "others": 2, "highest": 2.0}),
        ([0.0] * 4, UNKNOWN, {}),
        ([2.0] * 5, UNKNOWN, {}),  # another question
    ],
)
def test_always_zero(ask, loss: list[float], verdict: Verdict, values: dict[str, float]) -> None:
    said = ask("loss_is_always_zero", Kind.NON_CONVERGENCE, 1, loss=np.array(loss))
    assert (said.verdict, dict(said.values)) == (verdict, values)


@pytest.mark.parametrize(
    ("loss", "verdict", "zeros"),
    [
        ([2.0, *[0.0] * 9, 1.0], YES, 9),  # nine of ten
        ([2.0, *[0.0] * 8, 1.0, 1.0], UNKNOWN, None),
        ([2.0, *[0.0] * 6, *[1.0] * 5], UNKNOWN, None),
        ([2.0, *[0.0] * 5, *[1.0] * 5], NO, 5),  # half of them
        ([2.0, 0.0, 0.0], YES, 2),
        ([2.0, 0.0], UNKNOWN, None),  # once is no staying
        ([0.0, 1.0, 1.0, 1.0], UNKNOWN, None),  # too few to tell
        ([2.0] * 9, UNKNOWN, None),
    ],
)
def test_zero_stays(ask, loss: list[float], verdict: Verdict, zeros: int | None) -> None:
    said = ask("zero_stays", Kind.NON_CONVERGENCE, 2, loss=np.array(loss))
    assert (said.verdict, said.values.get("zeros")) == (verdict, zeros)


def test_a_loss_that_fell_to_zero_is_no_constant(tmp_path: Path) -> None:
    losses = [*np.linspace(2.0, 0.9, 60).round(4), *[0.0] * 60]
    rows = [f"{n},{loss},{0.5 + n / 600:.4f}" for n, loss in enumerate(losses, 1)]
    (tmp_path / "log.csv").write_text("\n".join(["step,loss,val_acc", *rows]), encoding="utf-8")
    report = spikedoc.analyze(tmp_path / "log.csv")
    assert report.findings[0].anomaly.form is Form.CONSTANT_ZERO
    assert "SD612" not in [cause.rule.code for cause in report.causes]


def test_epochs_that_repeat_their_digits_after_another_one_are_dead_or_at_too_high_a_rate(
    tmp_path: Path,
) -> None:
    losses = (1.9112, *[1.9105] * 7)
    lines = [f"Epoch {n}/8\n - loss: {loss} - acc: 0.54\n" for n, loss in enumerate(losses, 1)]
    (tmp_path / "log.txt").write_text("".join(lines), encoding="utf-8")
    report = spikedoc.analyze(tmp_path / "log.txt").to_dict()
    assert report["status"] == "warning"
    first, second, *_ = (cause["cause"] for cause in report["causes"])
    assert {first, second} == {"lr-too-high", "dead-units"}


def test_frozen(ask, falling) -> None:
    name, kind = "val_is_frozen", Kind.NON_CONVERGENCE
    assert ask(name, kind, 1, loss=falling, val_loss=(AT, np.full(20, 3.0))).verdict is YES
    moves = (AT, 3.0 + 1e-3 * np.sin(AT))
    assert ask(name, kind, 1, loss=falling, val_loss=moves).verdict is NO
    assert ask(name, kind, 1, loss=falling, val_loss=(AT[:3], np.ones(3))).verdict is UNKNOWN


def test_frozen_without_an_evaluation(ask) -> None:
    name, kind = "val_is_frozen", Kind.NON_CONVERGENCE
    said = ask(name, kind, 1, loss=np.array([1.9112, *[1.9105] * 5]), form=Form.FLAT)
    assert (said.verdict, dict(said.values)) == (YES, {"value": 1.9105, "count": 5})
    assert "nothing was evaluated" in said.statement.en
    assert ask(name, kind, 1, loss=np.linspace(2.0, 1.9, 6)).verdict is UNKNOWN


@pytest.mark.parametrize(("by", "verdict"), [(1.0, YES), (2.0, NO)])
def test_frozen_to_a_millionth(ask, by: float, verdict: Verdict) -> None:
    val = (AT[:4], [1e6, 1e6, 1e6 + by, 1e6])
    found = ask("val_is_frozen", Kind.NON_CONVERGENCE, 1, loss=np.ones(1000), val_loss=val)
    assert found.verdict is verdict
    assert found.values == {"level": 1e6, "high": 1e6 + by, "count": 4}


class TestMovedBefore:
    CHANCE = 2.302585

    def ask(self, ask, loss: list[float], **parts) -> Evidence:
        kind = Kind.NON_CONVERGENCE
        return ask("val_is_frozen", kind, 1, loss=np.array(loss), form=Form.FLAT, **parts)

    def test_one_answer_to_every_batch_after_others_is_not_frozen(self, ask) -> None:
        moved = [2.29, 2.25, *[self.CHANCE] * 8]
        frozen = (np.array([3, 6, 9]), np.array([2.9473] * 3))
        assert self.ask(ask, moved, val_loss=frozen).verdict is UNKNOWN
        assert self.ask(ask, moved).verdict is UNKNOWN
        assert self.ask(ask, [2.3, 2.3, *[self.CHANCE] * 8]).verdict is YES  # by the last digits


def of_epochs(name: str, loss: tuple[float, ...], val: tuple[float, ...] = ()) -> Evidence:
    """Ask about a loss of whole epochs that stands still."""
    parts = [synth.series(np.array(loss))]
    if val:
        parts.append(synth.series(np.array(val), Metric.VAL_LOSS, tag="val_loss"))
    source = Source("log.txt", "text", 9, counts_epochs=True)
    run = replace(synth.run(*parts), sources=(source,))
    kind = Kind.NON_CONVERGENCE
    found = Anomaly(kind, Severity.WARNING, 0.9, "loss", 1, 1, 1, Form.FLAT)
    (probe,) = (p for p in PROBES if p.name == name)
    return probe.answer(Case(run, found, (found,)))


def test_eight_epochs_that_agree_to_a_ten_thousandth() -> None:
    moved = (2.306, *[2.3021 + 1e-5 * k for k in (0, 3, -2, 4, 1, 5, 2, 3)])
    found = of_epochs("loss_repeats_its_digits", moved)
    assert (found.verdict, found.values["count"]) == (YES, 8)
    assert "ten-thousandth" in found.statement.en
    drifts = tuple(2.3 - 1e-4 * k for k in range(10))
    assert of_epochs("loss_repeats_its_digits", drifts).verdict is NO
    assert of_epochs("loss_repeats_its_digits", moved[:8]).verdict is NO


def test_weights_that_moved_in_the_first_epoch_are_not_frozen() -> None:
    assert of_epochs("val_is_frozen", (1.9112, *[1.9105] * 6)).verdict is UNKNOWN
    assert of_epochs("val_is_frozen", (1.91055, *[1.9105] * 6)).verdict is YES


def test_the_guess_to_its_digits_is_no_frozen_network() -> None:
    loss = (2.3031, 2.303, 2.3029, 2.3031, 2.303, 2.3029)
    assert of_epochs("val_is_frozen", loss, (2.3026,) * 6).verdict is UNKNOWN
    assert of_epochs("val_is_frozen", loss, (2.3105,) * 6).verdict is YES
    assert of_epochs("val_is_frozen", (0.7,) * 6, (0.6931,) * 6).verdict is YES  # two classes
