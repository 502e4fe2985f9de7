def check_contacts_to_table(start, end, source, result):
    wanted = _contacts_told((start / source).read_bytes())
    _same_grid(_grid(end / result), [["name", "e-mail", "phone", "organization", "address"], *wanted])
    return True, f"{_counted(len(wanted), 'contact')} compared"
