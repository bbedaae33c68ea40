"""Kitchens: problems in which actions must be chosen, one step at a time."""
