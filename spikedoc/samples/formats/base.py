"""What a format of a ranking is."""

from __future__ import annotations

from typing import Protocol

from spikedoc.renderers.base import RenderOptions
from spikedoc.samples.result import Ranking


class Format(Protocol):
    """A pure function from a ranking to text."""

    def __call__(self, ranking: Ranking, options: RenderOptions) -> str:
        """Return the text, ending in a newline."""
