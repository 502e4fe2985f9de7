"""D-Bus: connections that never wait for ever, and the messages on them."""
