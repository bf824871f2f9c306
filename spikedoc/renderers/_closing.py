"""Phrases of the end of a report: losses, guards, and whose words are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spikedoc.cleaning import name, one_line
from spikedoc.model.report import Advice, Report, Rollback
from spikedoc.renderers._strings import Words
from spikedoc.renderers._wording import duration, main_signal, public_path
from spikedoc.text import format_value


def back_line(back: Rollback, run_path: str, words: Words, mark: Callable[[str], str]) -> str:
    """Return where to go back to; `mark` is how the format shows the name of a file."""
    if not back.checkpoint:
        return words("rollback.none", step=back.step)
    saved = mark(public_path(back.checkpoint, run_path))
    return words("rollback.checkpoint", step=back.step, checkpoint=saved)


def lost_lines(back: Rollback, words: Words) -> list[str]:
    """Return what going back costs, and how long the run went on after it was lost."""
    found = [
        _span_line(
            "rollback.wasted", "rollback.wasted_time", back.wasted_steps, back.wasted_seconds, words
        )
    ]
    if back.lost_step is not None and back.lost_steps:
        keys = ("rollback.lost", "rollback.lost_time")
        line = _span_line(*keys, back.lost_steps, back.lost_seconds, words, step=back.lost_step)
        found.append(line)
    return found


def _span_line(
    bare: str, timed: str, steps: int, seconds: float | None, words: Words, **more: int
) -> str:
    if seconds is None:
        return words(bare, steps=steps, **more)
    return words(timed, steps=steps, duration=duration(seconds, words), **more)


def guard_lines(report: Report, words: Words) -> list[str]:
    """Return a sentence per guard and, last, what the replay is; nothing without guards."""
    if not report.guards:
        return []
    colon = words("list.colon")
    found = [
        one_line(words.of(guard.title) + colon + words.of(guard.statement))
        for guard in report.guards
    ]
    main = main_signal(report)
    stride = report.run.signals[main].stride if main is not None else 1.0
    key = "guard.simulated" if stride > 1 else "guard.simulated_dense"
    return [*found, words(key, stride=format_value(stride))]


def framework_line(report: Report, advice: Iterable[Advice], words: Words) -> str:
    """Return in whose words the settings are; empty where no advice has any."""
    framework = report.framework
    if framework is None or not any(item.settings for item in advice):
        return ""
    key = "framework.known" if framework.recognised else "framework.unknown"
    return words(key, name=name(framework.name))
