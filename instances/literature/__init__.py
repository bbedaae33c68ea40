"""Readers of formats from the scheduling literature, into the same model; ``read`` recognises them by content."""
