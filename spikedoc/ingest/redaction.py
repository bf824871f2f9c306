"""Runs without secrets: the one door through which all that is shown of a log has gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spikedoc.model.run import Checkpoint, ConfigValue, Restart, Run, Series, Source
from spikedoc.redaction import is_private, redacted, redacted_name
from spikedoc.text import Text


def redacted_run(run: Run) -> Run:
    """Return the run with every text of its log redacted, and without private settings."""
    return replace(
        run,
        name=redacted_name(run.name),
        path=redacted_name(run.path),
        series=_series(run.series),
        restarts=tuple(map(_restart, run.restarts)),
        config=_config(run.config),
        checkpoints=tuple(Checkpoint(one.step, redacted_name(one.path)) for one in run.checkpoints),
        sources=tuple(map(_source, run.sources)),
        events=tuple((step, redacted(line)) for step, line in run.events),
        notes=tuple(map(_note, run.notes)),
    )


def _note(note: Text) -> Text:
    return Text(redacted(note.en), redacted(note.zh))


def _config(config: Mapping[str, ConfigValue]) -> dict[str, ConfigValue]:
    return {
        redacted(key): redacted(value) if isinstance(value, str) else value
        for key, value in config.items()
        if not is_private(key)
    }


def _source(source: Source) -> Source:
    notes = tuple(map(_note, source.notes))
    return replace(source, path=redacted_name(source.path), notes=notes)


def _restart(restart: Restart) -> Restart:
    piece = restart.piece
    if piece is None:
        return restart
    source, before = redacted_name(piece.source), redacted_name(piece.before)
    return replace(restart, piece=replace(piece, source=source, before=before))


def _series(series: tuple[Series, ...]) -> tuple[Series, ...]:
    """The series with names that are still unique; those with nothing to hide as they are."""
    taken = {one.name for one in series}
    return tuple(_renamed(one, taken) for one in series)


def _renamed(one: Series, taken: set[str]) -> Series:
    name, tag, source = map(redacted_name, (one.name, one.tag, one.source))
    if (name, tag, source) == (one.name, one.tag, one.source):
        return one
    if name != one.name:
        number, plain = 1, name
        while name in taken:
            number += 1
            name = f"{plain} {number}"
        taken.add(name)
    return replace(one, name=name, tag=tag, source=source)
