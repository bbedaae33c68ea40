"""Scheduling model: instances, schedules, and the rules every schedule must obey. Knows no benchmark."""
