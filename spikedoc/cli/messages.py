"""What is said about the work itself, on the standard error, in the language of the call."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any, Final

import click

from spikedoc.cli.session import Session
from spikedoc.text import Language, Text

SAMPLE_CHINESE: Final = "诊断"

WRITTEN: Final = Text("{noun} written to {file}", "{noun}已写入 {file}")
ADVICE: Final = {
    True: Text("please report it", "请报告此问题"),
    False: Text(
        "run again with --traceback and report it", "请加上 --traceback 重新运行并报告此问题"
    ),
}


def say(message: Text, session: Session | None = None, **style: Any) -> None:
    """Write one line to the standard error; the session is that of the command unless given."""
    from spikedoc.cleaning import one_line

    click.secho(f"spikedoc: {one_line(message.get(language(session)))}", err=True, **style)


def language(session: Session | None = None) -> Language:
    """Return the language of messages, English when the standard error has no Chinese signs."""
    if session is None:
        context = click.get_current_context(silent=True)
        session = context.find_object(Session) if context is not None else None
    wanted = (session or Session()).language
    is_readable = wanted is Language.EN or can_encode(SAMPLE_CHINESE, sys.stderr)
    return wanted if is_readable else Language.EN


def say_written(noun: Text, output: Path | None) -> None:
    """Tell which file the `noun` went to, if to any."""
    if output is not None:
        say(WRITTEN.fill({"noun": noun, "file": str(output)}))


def say_crash(error: Exception, session: Session) -> None:
    """Tell about a failure of spikedoc itself: one line, or the traceback when asked for."""
    if session.traceback:
        traceback.print_exception(error)
    what, advice = f"{type(error).__name__}: {error}", ADVICE[session.traceback]
    told = Text(f"internal error: {what}; {advice.en}", f"内部错误：{what}；{advice.zh}")
    say(told, session, fg="red")


def can_encode(signs: str, stream: Any) -> bool:
    """Return whether a standard stream, which may be closed, can show the signs."""
    if stream is None:
        return False
    try:
        signs.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
