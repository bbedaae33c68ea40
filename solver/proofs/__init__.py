"""Certificates of lower bounds, their stand-alone checkers, and minimal conflicts."""
