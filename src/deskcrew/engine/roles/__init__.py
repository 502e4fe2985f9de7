"""Roles and crews as data: role files, crew files, what each role may read, and the prompts made from them."""
