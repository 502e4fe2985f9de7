"""Acting on what is there, as a person would."""
