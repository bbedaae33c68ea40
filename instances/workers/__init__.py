"""Worker processes with limits of processor time and memory, and a pool of them."""
