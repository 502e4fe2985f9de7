"""What all rooms rest on: frozen types that travel (events, plan, contract, verdict, observation), and small helpers."""
