"""D-Bus: connections that never wait for ever, and what is said on them."""
