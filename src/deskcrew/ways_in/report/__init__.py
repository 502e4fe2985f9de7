"""A run in words for people: events, totals, and what belongs to an event. Independent of terminal and web."""
