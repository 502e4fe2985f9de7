"""Runs of this folder's tests have a data folder and a runtime folder of their own."""

from __future__ import annotations

from support.runs import own_runtime, there

__all__ = ["own_runtime", "there"]
