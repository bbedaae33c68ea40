"""Cost-to-go of partially executed plans: bounds on the best makespan from a state."""
