"""Skills: work that was done once and proven, is stored as a folder, and is repeated with other values without a model."""
