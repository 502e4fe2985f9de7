"""What may be done without asking a model. Each reflex is one file; :mod:`deskcrew.reflexes.registry` lists them."""
