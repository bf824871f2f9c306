"""Post-hoc diagnosis of deep-learning training logs."""
