"""What a second node brings, what is lost when anything is killed, and how large a queue may be."""
