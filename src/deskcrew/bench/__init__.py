"""Measuring: chores with a seed, overhead, perception. Nothing of the engine imports this."""
