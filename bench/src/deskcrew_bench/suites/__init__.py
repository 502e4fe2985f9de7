"""Series of tasks, whichever they are: a trial, what many amount to, series compared, a report."""
