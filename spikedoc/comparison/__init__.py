"""Two runs side by side: where they part, how far, and what a replay proves."""
