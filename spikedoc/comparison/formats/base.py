"""What an output of a comparison is: a function from the comparison to text."""

from __future__ import annotations

from collections.abc import Callable

from spikedoc.comparison.result import Comparison
from spikedoc.renderers.base import RenderOptions

Options = RenderOptions
Format = Callable[[Comparison, Options], str]
