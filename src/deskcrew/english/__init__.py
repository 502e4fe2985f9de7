"""Reading English: the only package that interprets a task's words. The orders it finds become checks and reflexes."""
