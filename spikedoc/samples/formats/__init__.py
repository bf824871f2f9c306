"""How a ranking of samples is written: one module per format."""
