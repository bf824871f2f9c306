"""Where the verdicts of the gate go: several formats at once, each to a file or to the screen."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spikedoc.cli.display import DEFAULT_FORMAT, deliver
from spikedoc.cli.options import FORMER_NAMES, choose_format
from spikedoc.errors import UsageError
from spikedoc.text import Language

if TYPE_CHECKING:
    from spikedoc.gate.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Output:
    """One format and the file it is written to; None is the standard output."""

    format: str
    file: Path | None = None


def formats() -> list[str]:
    """Return the names of the gate's outputs, the usual one first, found without importing any."""
    import spikedoc.gate.formats

    names = (info.name for info in pkgutil.iter_modules(spikedoc.gate.formats.__path__))
    found = {name for name in names if name != "base" and not name.startswith("_")}
    return [DEFAULT_FORMAT, *sorted(found - {DEFAULT_FORMAT})]


def choose_outputs(given: Sequence[str], output: Path | None) -> tuple[Output, ...]:
    """Return what `--format NAME[=FILE] …` and `-o FILE` ask for; raises UsageError.

    The format without a file of its own goes to `output`, or to the standard output; when all have
    one, the text for people still does.
    """
    found = [_named(word) for word in given]
    beside = [one for one in found if one.file is not None]
    main = [one for one in found if one.file is None]
    if len(main) > 1:
        names = " and ".join(one.format for one in main)
        raise UsageError(f"--format: {names} for one output; say {main[-1].format}=FILE")
    chosen = choose_format(main[0].format if main else None, output, formats())
    outputs = (*beside, Output(chosen, output))
    files = [one.file for one in outputs if one.file is not None]
    if len(set(files)) < len(files):
        raise UsageError(f"--format: two formats for one file, {max(files, key=files.count)}")
    return outputs


def _named(word: str) -> Output:
    name, told, file = word.partition("=")
    name = FORMER_NAMES.get(name, name)
    if name not in formats():
        raise UsageError(f"--format {name}: expected one of {', '.join(formats())}")
    if told and not file:
        raise UsageError(f"--format {word}: no file after the =")
    return Output(name, Path(file) if told else None)


def deliver_all(
    verdicts: Sequence[Verdict], outputs: Sequence[Output], language: Language, *, verbose: bool
) -> None:
    """Write the verdicts to every output."""
    for output in outputs:
        deliver(_render(output.format, verdicts, language, verbose=verbose), output.file)


def _render(name: str, verdicts: Sequence[Verdict], language: Language, *, verbose: bool) -> str:
    import importlib

    from spikedoc.gate.formats.base import Format, Options

    render: Format = importlib.import_module(f"spikedoc.gate.formats.{name}").FORMAT
    return render(verdicts, Options(language, verbose))
