"""Plans for several cooks by way of a schedule: errands, who runs them and when (CP-SAT), and their actions."""
