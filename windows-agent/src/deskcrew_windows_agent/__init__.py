"""The agent on Windows: serves one desktop to a run of Deskcrew on another system. It imports nothing of Deskcrew."""
