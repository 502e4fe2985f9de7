"""How skills are created (kept from runs, taught by a person, written as code, or learnt), and how they are tried."""
