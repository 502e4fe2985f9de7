"""A browser as an environment: Chromium in a sandbox of its own, seen and operated as a desktop is."""
