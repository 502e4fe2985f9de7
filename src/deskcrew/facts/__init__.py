"""Frozen types that all packages exchange (events, plan, contract, verdict, observation), and small helpers."""
