"""Plans for kitchens from schedules of transport tasks."""
