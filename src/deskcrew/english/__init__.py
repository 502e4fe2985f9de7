"""What English says: the only package that reads a task's words. Its orders become checks and reflexes."""
