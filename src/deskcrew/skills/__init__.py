"""Skills: what was done once and proven, kept as a folder, to be done again on other values and without a model."""
