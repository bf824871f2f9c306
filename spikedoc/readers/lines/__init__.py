"""Shapes of printed record lines; each module exports PROFILE (see base)."""
