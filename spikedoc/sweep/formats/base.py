"""What a format of a comparison is."""

from __future__ import annotations

from typing import Protocol

from spikedoc.renderers.base import RenderOptions
from spikedoc.sweep.result import Comparison


class Format(Protocol):
    """A pure function from a comparison to text."""

    def __call__(self, comparison: Comparison, options: RenderOptions) -> str:
        """Return the text, ending in a newline."""
