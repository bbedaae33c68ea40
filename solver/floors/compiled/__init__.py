"""The search on floors, compiled."""
