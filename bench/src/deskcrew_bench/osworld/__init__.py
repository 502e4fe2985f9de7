"""Tasks of OSWorld's form: begun in a folder that stands for its machine's home, and judged by its own evaluators."""
