"""What problems are: the instance model, files, the benchmarks' facts, languages and rules."""
