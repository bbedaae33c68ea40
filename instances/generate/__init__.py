"""Random problems by their parameters: our own model, and the styles of benchmarks."""
