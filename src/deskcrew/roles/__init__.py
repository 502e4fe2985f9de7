"""The crew's members as data: role files, crew files, what each may see, and the prompts made from them."""
