"""From the tree and the screen to what a person would say is there."""
