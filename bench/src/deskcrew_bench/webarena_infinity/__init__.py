"""Tasks of WebArena-Infinity: applications that somebody else made, done in Deskcrew's own browser."""
