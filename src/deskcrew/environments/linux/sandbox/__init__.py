"""The sandbox of a virtual desktop: starts, limits, displays and ends it."""
