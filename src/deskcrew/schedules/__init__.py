"""Tasks that are done at times and for files, with nobody there: what is due, what was missed, and who is told."""
