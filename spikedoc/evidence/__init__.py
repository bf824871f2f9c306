"""Yes/no questions about an anomaly; each module exports PROBES."""
