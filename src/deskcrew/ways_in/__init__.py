"""Ways in: command line, web, library, schedules, fleet."""
