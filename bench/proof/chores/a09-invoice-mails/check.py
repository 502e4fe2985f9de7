import re

WANT = {'invoices/2025-02/NE-2025-01.pdf': b'1', 'invoices/2025-02/Rechnung 4711.PDF': b'2', 'invoices/2025-03/cloud-03.pdf': b'5',
        'invoices/2025-03/cloud-03-details.pdf': b'6', 'invoices/2024-12/Gebühren 88.pdf': b'8'}
PDF = b'%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj <</N NR>> endobj\n%%EOF\n'

def files(p):
    return {f.relative_to(p).as_posix(): f.read_bytes() for f in p.rglob('*') if f.is_file()}

def check(start, end, answer):
    want = files(start)
    want.update((k, PDF.replace(b'NR', v)) for k, v in WANT.items())
    got = files(end)
    if set(got) != set(want):
        return f'missing: {sorted(set(want) - set(got))}, too many: {sorted(set(got) - set(want))}'
    for name in want:
        if got[name] != want[name]:
            return f'{name} has wrong contents'
    said = re.sub(r'(?<=\d)[\s,\u202f\u00a0.\'](?=\d{3}(?!\d))', '', answer or '')
    if re.search(r'(^|[\s=:])[-\u2212]\d', said):
        return f'a negative amount in the answer: {answer!r}'
    said = re.sub(r'\b5 (invoice|mail)', r'five \1', said)
    sums = re.findall(r'\d+(?:[.,]\d+)?', said)
    if len(sums) > 1 and '=' not in said:
        return f'more than one figure in the answer: {answer!r}'
    if not sums or abs(float(sums[-1].replace(',', '.')) - 1883.5) > 0.001:
        return f'the answer should be 1883.50, not {answer!r}'
    return ''
