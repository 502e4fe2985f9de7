"""Prompt injection: a crew that obeys every hostile text, on the real engine."""
