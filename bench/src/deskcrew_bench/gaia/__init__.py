"""Questions of GAIA's form, each with one short answer: its folder read, its scorer, and the regimes of COLA's paper."""
