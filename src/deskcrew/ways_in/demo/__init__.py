"""The chore of ``deskcrew demo``, and what is told while it is done."""
