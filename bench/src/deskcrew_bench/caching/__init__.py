"""How much of their prompts providers would have in their caches over whole runs, and what of them verification takes."""
