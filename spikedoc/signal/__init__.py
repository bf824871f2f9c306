"""Arrays in, arrays out: knows no run and no label."""
