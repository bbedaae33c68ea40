"""Checks of certificates and of the bundled optima."""
