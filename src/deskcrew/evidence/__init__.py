"""Judging from evidence: what an operation did, whether the goal is reached, and what an answer is based on."""
