"""Outputs of a comparison; a format is a module that exports FORMAT."""
