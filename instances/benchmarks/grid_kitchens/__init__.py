"""Floors: kitchens as maps of tiles, on which cooks walk between stations that work by themselves."""
