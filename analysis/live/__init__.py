"""Live runs of agents over many problems: who plays what, what is kept, and how a run that was broken off goes on."""
