"""Outputs of a comparison: one module each with its `FORMAT`."""
