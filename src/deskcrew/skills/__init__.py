"""Skills: what was done once and proven, kept as a folder, and repeated on other values without a model."""
