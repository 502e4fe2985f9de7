"""The X server: what is on it, how it looks, and its keyboard and mouse."""
