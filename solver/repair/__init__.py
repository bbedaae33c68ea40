"""Repair of submitted schedules with the smallest change."""
