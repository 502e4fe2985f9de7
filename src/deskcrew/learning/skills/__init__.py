"""Skills: work that was done once and proven, stored as a folder, and repeated with other values without a model."""
