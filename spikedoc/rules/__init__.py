"""The rule catalogue, its loader, and the ranking."""
