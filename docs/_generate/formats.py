"""Lists of what is read, from the first lines of the modules that read it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

from _generate.console import ROOT
from _generate.markup import prose

READERS: Final = ROOT / "spikedoc" / "readers"
# What a list in a page written by hand is called there, and the folder it is made from.
LISTS: Final = {"readers": READERS, "lines": READERS / "lines"}
LIST: Final = re.compile(
    r"(?P<begin><!-- list of (?P<name>\w+) -->\n).*?(?P<end>^<!-- end of list -->)",
    re.DOTALL | re.MULTILINE,
)


def filled(text: str) -> str:
    """Return a page with its lists made anew."""
    return LIST.sub(lambda match: match["begin"] + _items(match["name"]) + match["end"], text)


def _items(name: str) -> str:
    modules = [m for m in sorted(LISTS[name].glob("[a-z]*.py")) if m.stem != "base"]
    # A reader is named in reports; a profile of lines begins with the name of its framework.
    names = {m: f"`{m.stem}`: " if name == "readers" else "" for m in modules}
    return "".join(f"- {names[m]}{_about(m)}\n" for m in modules)


def _about(module: Path) -> str:
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return prose(" ".join(docstring.partition("\n\n")[0].split()))
