"""Judging from evidence: what an operation did, whether the goal is reached, what an answer rests on."""
