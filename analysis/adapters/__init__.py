"""Doors to frameworks that others keep, each behind an extra of ours and imported late."""
