"""What holds a virtual desktop, bounds it, shows it and ends it."""
