"""Everything that measures Deskcrew: figures beside alternatives, guarantees tried often, suites of tasks.

A distribution of its own, ``deskcrew-bench``: the product works without it and imports nothing of it. ``deskcrew bench``
finds it by the entry point that ``bench/pyproject.toml`` declares.
"""
