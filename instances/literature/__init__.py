"""Readers of formats from the scheduling literature, which are recognised by content."""
