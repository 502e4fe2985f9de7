"""Tasks that are done at set times and for new files, with nobody there: what is due, what was missed, and who is
notified."""
