"""A browser's pages in the windows of a desktop."""
