"""Heuristics that may act without asking a model. Each reflex is one file; :mod:`deskcrew.reflexes.registry` lists
them."""
