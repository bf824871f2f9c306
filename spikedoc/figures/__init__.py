"""Numbers computed from a run for the advice; each module exports FIGURES."""
