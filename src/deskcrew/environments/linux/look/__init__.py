"""From the accessibility tree and the screen to an observation in a person's terms."""
