"""One judge per benchmark: what a replay of a submission is worth, as fields of a grade."""
