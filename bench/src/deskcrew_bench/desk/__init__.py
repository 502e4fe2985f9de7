"""A folder of chores over real programs, done by a crew and checked by programs of their own."""
