"""Where actions land: a workspace folder, a desktop."""
