"""Contract suite: checks that every benchmark must pass."""
