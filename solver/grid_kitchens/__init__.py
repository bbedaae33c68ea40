"""Floors: best plans of cooks who walk between stations, with bounds, and what a run on a floor leaves."""
