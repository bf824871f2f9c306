"""Restarts that a printed line or a setting tells of where no step was written twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from spikedoc.model.resumed_line import says_resumed
from spikedoc.model.run import Restart, Run
from spikedoc.text import Text

# A line that comes this often tells of something else: a data loader, a server.
MOST_RESUMES: Final = 20
NOTE: Final = Text(
    "a line of the log says that training was resumed, between steps {last} and {step}: taken as a "
    "restart",
    "日志中有一行说明训练在第 {last} 步与第 {step} 步之间恢复：按一次重启处理",
)
# The Trainer's `resume_from_checkpoint=out/checkpoint-2000`: its history goes on as if nothing had
# been. Names that may count epochs say no step.
SETTING: Final = re.compile(r"(?:^|[/.])resume_from_checkpoint$")
CHECKPOINT: Final = re.compile(r"(?:checkpoint|step)[-_=](\d{1,12})/?$")
SETTING_NOTE: Final = Text(
    "the setting {name} names the checkpoint of step {last}: step {step} is taken as a restart",
    "配置 {name} 指向第 {last} 步的检查点：第 {step} 步按一次重启处理",
)


def with_resumes(run: Run) -> Run:
    """Return the run with a restart for each line or setting that tells of one, a note on each.

    A restart that the steps themselves show stays as it is.
    """
    known = {one for r in run.restarts for one in (r.step, r.last_step)}
    last_steps = sorted(
        {step for step, line in run.events if step is not None and says_resumed(line)}
    )
    found = [] if len(last_steps) > MOST_RESUMES else list(_restarts(run, last_steps, known))
    notes = [NOTE.fill({"last": r.last_step, "step": r.step}) for r in found]
    name, saved = _setting(run)
    known |= {r.step for r in found}
    for r in _restarts(run, saved, known):
        found.append(r)
        notes.append(SETTING_NOTE.fill({"name": name, "last": r.last_step, "step": r.step}))
    if not found:
        return run
    ordered = sorted((*run.restarts, *found), key=lambda r: (r.step, r.last_step))
    return replace(run, restarts=tuple(ordered), notes=(*run.notes, *notes))


def _setting(run: Run) -> tuple[str, list[int]]:
    """Return the setting that names a checkpoint, and the step of that; "" and none without."""
    for name, value in run.config.items():
        if SETTING.search(name) and (found := CHECKPOINT.search(str(value))) is not None:
            return name, [int(found[1])]
    return "", []


def _restarts(run: Run, last_steps: Iterable[int], known: set[int]) -> Iterable[Restart]:
    series = run.main_loss
    if series is None:
        return
    for last in last_steps:
        at = series.index_at(last + 1)
        if not 0 < at < len(series):
            continue  # nothing before it, or nothing after
        step = int(series.steps[at])
        if known.isdisjoint((last, step)):
            yield Restart(step, last, "resumed")
