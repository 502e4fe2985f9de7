"""Tasks that run unattended, at set times or for new files: what is due, what was missed, and who is notified."""
