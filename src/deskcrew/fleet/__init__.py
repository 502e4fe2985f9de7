"""Many runs on many machines: PostgreSQL keeps what was submitted, Ray places it and begins again what died."""
