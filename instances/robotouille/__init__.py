"""Robotouille (Gonzalez-Pumariega et al., 2025): kitchens in which actions must be chosen, one step at a time."""
