"""Judges reports against what a project expects of its runs: the gate behind `spikedoc check`."""
