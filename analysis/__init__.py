"""Replay, grade, compare and draw; the command line."""
