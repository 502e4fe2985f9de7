"""The chore of ``deskcrew demo``, and the program that checks it."""
