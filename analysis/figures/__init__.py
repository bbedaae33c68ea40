"""Figures, drawn with matplotlib; import these modules late, they are slow to load."""
