"""What is kept of runs for later ones: memory and skills."""
