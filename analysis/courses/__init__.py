"""Runs as courses of decisions: one module per benchmark says what every command of a submission decided."""
