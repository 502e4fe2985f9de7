"""How skills come about: kept from runs, taught by a person, made as code, or learnt; and how they are tried."""
