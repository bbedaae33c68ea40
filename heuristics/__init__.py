"""Fast schedulers: the papers' algorithms under their names, and better ones."""
