"""Tasks of WebArena's form on sites that somebody hosts: read, done in Deskcrew's own browser, and evaluated."""
