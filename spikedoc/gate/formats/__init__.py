"""Verdicts in, text out, for the machines that read them; each module exports FORMAT."""
