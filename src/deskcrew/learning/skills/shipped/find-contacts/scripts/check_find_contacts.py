def check_find_contacts(start, end, files, text, result):
    there = [row for path in _meant(start, files) for row in _contacts_told((start / path).read_bytes())]
    wanted = [row for row in there if _speaks(row, text)]
    _same_grid(_grid(end / result), [["name", "e-mail", "phone", "organization", "address"], *wanted])
    return True, f"{len(wanted)} of {_counted(len(there), 'contact')}"
