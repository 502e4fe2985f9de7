"""The user's own Windows desktop, over UI Automation. Untried: nobody has run it on Windows yet."""
