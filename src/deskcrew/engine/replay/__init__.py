"""Replays a run, from its journal alone or on a live desktop: docs/design/repair.md."""
