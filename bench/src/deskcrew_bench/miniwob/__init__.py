"""MiniWoB++ in Deskcrew's own browser."""
