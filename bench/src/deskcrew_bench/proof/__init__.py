"""Is "done" said of right work, and of right work alone? Perfect operations, and the same with one thing wrong in them."""
