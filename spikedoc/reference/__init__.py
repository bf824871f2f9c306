"""What healthy runs of a project look like: bands per signal, and where a run leaves them."""
