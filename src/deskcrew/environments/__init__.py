"""What actions act on: a workspace folder, a desktop, a browser."""
