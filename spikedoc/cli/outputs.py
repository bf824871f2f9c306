"""Where the verdicts of the gate go: several formats at once, each to a file or to the screen."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from spikedoc.cli.display import DEFAULT_FORMAT, Display, deliver, is_wrapped, look_of
from spikedoc.cli.inputs import identity
from spikedoc.cli.options import FORMER_NAMES, STANDARD_OUTPUT, choose_format
from spikedoc.errors import UsageError, one_of
from spikedoc.text import Text

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
        en, zh = (word.join(one.format for one in main) for word in (" and ", " 和 "))
        way = f"{main[-1].format}=FILE"
        told = Text(f"{en} for one output; say {way}", f"{zh} 争用同一个输出；请写 {way}")
        raise UsageError(told, at="--format")
    chosen = choose_format(main[0].format if main else None, output, formats())
    outputs = (*beside, Output(chosen, output))
    refuse_twice(outputs)
    return outputs


def refuse_twice(outputs: Sequence[Output], others: Sequence[Path | None] = ()) -> None:
    """Raise UsageError when two outputs, or one and a file of `others`, are one file.

    A link counts as the file it leads to.
    """
    written = set()
    for file in (*(one.file for one in outputs), *others):
        found = None if file is None else identity(file)
        if found is not None and found in written:
            raise UsageError(
                Text(f"two outputs for one file, {file}", f"两个输出写入同一文件 {file}")
            )
        written.add(found)


def _named(word: str) -> Output:
    name, told, file = word.partition("=")
    name = FORMER_NAMES.get(name, name)
    if name not in formats():
        raise UsageError(one_of(formats()), at=f"--format {name}")
    if told and not file:
        raise UsageError(Text("no file after the =", "= 之后没有文件"), at=f"--format {word}")
    is_screen = not told or Path(file) == STANDARD_OUTPUT
    return Output(name, None if is_screen else Path(file))


def deliver_all(verdicts: Sequence[Verdict], outputs: Sequence[Output], display: Display) -> None:
    """Write the verdicts to every output."""
    for output in outputs:
        shown = replace(display, format=output.format, output=output.file)
        deliver(_render(verdicts, shown), output.file)


def _render(verdicts: Sequence[Verdict], display: Display) -> str:
    import importlib

    from spikedoc.gate.formats.base import Format, Options

    render: Format = importlib.import_module(f"spikedoc.gate.formats.{display.format}").FORMAT
    look = look_of(display)
    width = look.width if is_wrapped(display) else None
    return render(
        verdicts, Options(look.language, display.verbose, width, look.color, look.unicode)
    )
