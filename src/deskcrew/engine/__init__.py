"""The loop and its steps; roles, crews and prompts; people; lanes, rewinds, replays."""
