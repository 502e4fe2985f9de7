"""Times: of the engine, prompts, looks, pages and rewinds, each beside an alternative."""
