"""The cost to go: what the states of a run still leave."""
