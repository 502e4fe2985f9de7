"""The Linux desktop: X11 windows and input, accessibility over D-Bus, programs, the sandbox of a virtual desktop."""
