"""A browser as an environment: Chromium in a sandbox of its own, observed and operated like a desktop."""
