"""The chore of ``deskcrew demo``, and the comments that it shows meanwhile."""
