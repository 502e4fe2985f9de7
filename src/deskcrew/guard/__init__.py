"""What a crew may do: code, not a prompt."""
