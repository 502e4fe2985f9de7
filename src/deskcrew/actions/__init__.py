"""What a crew can do, one module per domain. :func:`builtin` is all of it."""
