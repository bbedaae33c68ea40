"""Contract suite: checks that every benchmark must pass, for authors of benchmarks and for the tests of planoracle."""
