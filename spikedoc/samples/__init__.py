"""Losses of single samples: which stand apart from the others, and how."""
