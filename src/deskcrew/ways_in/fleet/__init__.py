"""Many runs on many machines: PostgreSQL stores the submitted runs; Ray places them, and restarts those that died."""
