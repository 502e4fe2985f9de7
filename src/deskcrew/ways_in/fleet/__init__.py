"""Many runs on many machines: PostgreSQL stores what was submitted, Ray places it and restarts what died."""
