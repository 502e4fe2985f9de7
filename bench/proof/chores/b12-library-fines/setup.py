READERS = [('R1', 'adult', 'Hana Šimková'), ('R2', 'junior', 'Leo Park'), ('R3', 'Adult', 'Maya &amp; Tim Osei'), ('R4', 'adult', 'Paul Grün'),
           ('R5', 'senior', 'Ruth Abel'), ('R10', 'adult', 'Sam Yates'), ('R7', 'adult', 'Uma Nair')]
LOANS = [('R1', 'The Leopard', '2025-06-20', None), ('R1', 'Middlemarch', '2025-05-01', None), ('R1', 'Emma', '2025-04-01', '2025-06-02'),
         ('R2', 'Matilda', '2025-05-15', None), ('R3', 'Dune', '2025-06-30', None), ('R3', 'Solaris', '2025-06-29', None),
         ('R4', 'Momo', '2025-07-04', None), ('R5', 'Ulysses', '2024-12-31', ''), ('R5', 'Dubliners', '2025-06-13', ''),
         ('R5', 'Persuasion', '2025-06-01', '2025-06-28'), ('R10', 'Beloved', '2025-05-31', None), ('R7', 'Jazz', '2025-06-30', '')]


def setup(folder):
    out = ['<?xml version="1.0" encoding="UTF-8"?>', '<loans>']
    for reader, title, due, back in LOANS:
        end = '' if back is None else f'<returned>{back}</returned>'
        out.append(f'  <loan reader="{reader}"><title>{title}</title><due>{due}</due>{end}</loan>')
    (folder / 'loans.xml').write_bytes('\n'.join(out + ['</loans>', '']).encode('utf-8'))
    out = ['<?xml version="1.0" encoding="UTF-8"?>', '<readers>']
    out += [f'  <reader id="{i}" type="{t}">{n}</reader>' for i, t, n in READERS]
    (folder / 'readers.xml').write_bytes('\n'.join(out + ['</readers>', '']).encode('utf-8'))
    (folder / 'rules.md').write_bytes('# Rules 2019 (no longer valid)\n\n10 cents a day, at most 5 euros.\n'.encode('utf-8'))
