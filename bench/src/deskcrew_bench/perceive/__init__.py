"""What is seen of pages, beside what pressing everything on them shows to be there."""
