"""The proved optimum: the CP-SAT model, its bounds, and the steps of a solve."""
