"""Acting on a desktop as a person would."""
