"""Real runs killed at hundreds of moments, and each resumed."""
