"""A discriminator that errs on nothing, and a generator that has lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.detectors.adversary import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def run(low: list[float], high: list[float], tags: tuple[str, str] = ("loss_D", "loss_G")) -> Run:
    return synth.run(
        *(
            synth.series(
                np.array(values), Metric.LOSS_COMPONENT, tag=tag, name=f"loss_component:{tag}"
            )
            for values, tag in zip((low, high), tags, strict=True)
        )
    )


@pytest.mark.parametrize(
    "tags", [("loss_D", "loss_G"), ("d_loss", "g_loss"), ("train/disc_loss", "train/gen_loss")]
)
def test_one_line(tags: tuple[str, str]) -> None:
    (found,) = detect(run([0.0], [34.6], tags))
    assert found.shape is Shape.SATURATED
    assert found.signal == f"loss_component:{tags[1]}"
    assert found.measures == {"discriminator": 0.0, "generator": 34.6}


def test_what_counts_is_how_it_stands_at_the_end() -> None:
    balanced, lost = [0.6] * 300, [0.0] * 40
    (found,) = detect(run([*balanced, *lost], [*[1.0] * 300, *[20.0] * 40]))
    assert found.first_step == 307
    assert detect(run([*lost, *balanced], [*[20.0] * 40, *[1.0] * 300])) == ()


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.5, 34.6), (0.0, 2.0), (-3.0, 34.6), (float("nan"), 34.6)],
)
def test_a_game_that_goes_on(low: float, high: float) -> None:
    assert detect(run([low], [high])) == ()


def test_other_terms_are_none_of_the_two() -> None:
    assert detect(run([0.0], [34.6], ("loss_D_real", "loss_G_L1"))) == ()


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [(1e-3, 10.0, 1), (1.1e-3, 10.0, 0), (1e-3, 9.9, 0), (0.0, 10.0, 1), (-1e-9, 10.0, 0)],
)
def test_a_thousandth_against_ten(low: float, high: float, told: int) -> None:
    assert len(detect(run([low], [high]))) == told


@pytest.mark.parametrize(
    ("points", "late"), [(1, 1), (19, 19), (20, 20), (21, 20), (200, 20), (209, 20), (210, 21)]
)
def test_the_end_is_the_last_tenth_of_twenty_records_at_least(points: int, late: int) -> None:
    """What half of those records show is the state, and it is told from the first of them on."""
    for saturated in (late // 2, late // 2 + 1):
        low, high = np.full(points, 0.5), np.full(points, 1.0)
        low[points - saturated :], high[points - saturated :] = 1e-4, 20.0
        found = detect(run(low.tolist(), high.tolist()))
        assert bool(found) is (saturated > late // 2)
    assert found[0].first_step == points - late + 1
    assert found[0].last_step == points
    assert found[0].measures == {"discriminator": 1e-4, "generator": 20.0}


HALVES = ("loss_D_real", "loss_D_fake", "loss_G_GAN", "loss_G_L1")


def halves(*values: float) -> Run:
    return synth.run(
        *(
            synth.series(np.full(5, value), Metric.LOSS_COMPONENT, tag=tag, name=tag)
            for tag, value in zip(HALVES, values, strict=False)
        )
    )


def test_both_halves_of_the_discriminator_are_right() -> None:
    (found,) = detect(halves(0.0, 0.0005, 12.5, 3.0))
    assert (found.signal, found.measures) == (
        "loss_G_GAN",
        {"discriminator": 0.0005, "generator": 12.5},
    )


@pytest.mark.parametrize(
    "values",
    [
        (0.0, 0.3, 12.5, 3.0),  # it errs on what was generated
        (0.0, 0.0, 1.0, 30.0),  # least squares; the pixels are no matter of the discriminator
        (0.0,),  # one half says little
    ],
)
def test_one_half_alone_is_no_victory(values: tuple[float, ...]) -> None:
    assert detect(halves(*values)) == ()


class TestFooled:
    def test_everything_passes_for_real(self) -> None:
        (found,) = detect(run([66.7, 76.6, 61.8, 92.2, 77.9], [0.0] * 5))
        assert (found.shape, found.signal) == (Shape.SATURATED, "loss_component:loss_G")
        assert found.measures == {"fooled": 76.6}

    def test_it_begins_where_the_zeros_do(self) -> None:
        (found,) = detect(run([1.0] * 30 + [13.8] * 30, [0.7] * 30 + [-0.0] * 30))
        assert (found.first_step, found.last_step) == (31, 60)

    @pytest.mark.parametrize(
        ("low", "high"),
        [
            ([66.7] * 4, [0.0] * 4),  # too few
            ([9.9] * 5, [0.0] * 5),  # a hinge loss may be so large
            ([66.7] * 5, [0.0] * 4 + [0.1]),
            ([66.7] * 30, [0.0] * 20 + [0.1] * 10),  # over
        ],
    )
    def test_a_game_that_goes_on(self, low: list[float], high: list[float]) -> None:
        assert detect(run(low, high)) == ()


class TestOutputs:
    """`D(x)` and `D(G(z))` say that the discriminator is always right."""

    def test_they_say_it_where_its_loss_is_still_above_a_thousandth(self) -> None:
        (found,) = detect(self.printed(0.003, 8.2, 0.998, 0.0008))
        assert found.shape is Shape.SATURATED
        assert found.measures["real"] == 0.998
        assert found.measures["generated"] == 0.0008

    def test_it_begins_where_the_last_doubt_ends(self) -> None:
        one = self.printed(0.003, 8.2, 0.998, 0.0008, count=200)
        changed = [
            replace(s, values=np.where(s.steps < 60, 0.5, s.values)) if s.tag == "D(x)" else s
            for s in one.series
        ]
        (found,) = detect(synth.run(*changed))
        assert (found.first_step, found.last_step) == (60, 200)

    @pytest.mark.parametrize(
        "values",
        [
            (0.003, 8.2, 0.985, 0.0008),  # real samples are doubted
            (0.003, 8.2, 0.998, 0.02),  # generated ones pass at times
            (0.003, 4.5, 0.998, 0.0008),  # the generator's loss says otherwise
            (0.003, 8.2, 3.0, -4.0),  # no probabilities
        ],
    )
    def test_a_game_that_goes_on(self, values: tuple[float, float, float, float]) -> None:
        assert detect(self.printed(*values)) == ()

    @staticmethod
    def printed(low: float, high: float, real: float, generated: float, *, count: int = 40) -> Run:
        tags = ("Loss_D", "Loss_G", "D(x)", "D(G(z))", "D(G(z)) 2")
        values = (low, high, real, generated, 0.5)
        kinds = (Metric.LOSS_COMPONENT, Metric.LOSS_COMPONENT, *[Metric.OTHER] * 3)
        return synth.run(
            *(
                synth.series(np.full(count, value), kind, tag=tag, name=f"{kind.value}:{tag}")
                for tag, value, kind in zip(tags, values, kinds, strict=True)
            )
        )
