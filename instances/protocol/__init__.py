"""Interface of benchmarks: problems, plans, runs, live environments, metrics, feedback and prompts."""
