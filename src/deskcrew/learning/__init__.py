"""What later runs learn from earlier ones: memory and skills."""
