"""Repeats recorded operations: finds their controls again, replaces their values, and compares their effects."""
