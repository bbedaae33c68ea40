"""Exact methods: CP-SAT models, lower bounds, certificates, repair, and search in kitchens."""
