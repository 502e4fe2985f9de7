"""A run as people are told of it: events in words, totals, and what belongs to an event. No terminal, no page."""
