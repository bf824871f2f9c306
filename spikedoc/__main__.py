"""`python -m spikedoc`."""

from spikedoc.cli import main

main()
