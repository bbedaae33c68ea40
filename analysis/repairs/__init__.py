"""One module per benchmark: what a submission wants of every action, and schedules in the benchmark's language."""
