"""The X server: its windows, its pixels, and its keyboard and mouse."""
