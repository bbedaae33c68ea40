"""Work over many inputs: processes and clusters, run directories, the cache of proved optima."""
