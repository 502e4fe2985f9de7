import datetime, re, zipfile
from openpyxl import Workbook
from openpyxl.styles import Font

ROWS = [('T-100', 'Assam, broken', 'Tea', 5.90, None), ('T-101', 'Darjeeling First Flush', 'Tea', 8.40, 'no'),
        ('K-200', 'Harrar', 'Coffee', 9.80, None), ('T-102', 'Sencha', 'tea', 7.25, None),
        ('T-103', 'Earl Grey', 'Tea', 4.95, 'yes'), ('Z-300', 'Strainer', 'Tea accessories', 3.50, None),
        ('T-104', 'Rooibos "Süd"', 'TEA', 4.10, 'no'), ('T-105', 'Matcha', 'Tea', 19.90, None),
        ('Z-301', 'Teapot, cast iron', 'Tea accessories', 49.00, None), ('T-106', 'Genmaicha', 'tEA', 6.60, None),
        ('T-107', 'Lapsang', 'tea', 6.20, 'Yes'), ('K-201', 'Tea-leaf roast', 'Coffee', 11.20, 'no')]

def same_bytes(path):
    'Takes the times out of the file, so that it is the same every time.'
    with zipfile.ZipFile(path) as z:
        parts = [(i.filename, z.read(i)) for i in z.infolist()]
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in parts:
            if name == 'docProps/core.xml':
                data = re.sub(rb'\d{4}-\d\d-\d\dT[\d:]+Z', b'2025-01-02T08:00:00Z', data)
            z.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 8, 0, 0)), data)

def book(path, rows):
    wb = Workbook()
    ws = wb.active
    ws.title = 'Catalogue'
    ws.append(['Article', 'Name', 'Category', 'Net', 'Gross', 'Discontinued'])
    for c in ws[1]:
        c.font = Font(bold=True)
    for n, (art, name, cat, net, disc) in enumerate(rows, 2):
        ws.append([art, name, cat, net, f'=ROUND(D{n}*1.07,2)', disc])
        ws.cell(n, 4).number_format = '0.00'
        ws.cell(n, 5).number_format = '0.00'
    ws.column_dimensions['B'].width = 31
    notes = wb.create_sheet('Notes')
    notes.append(['Category', 'Remark', 'Net'])
    notes.append(['Tea', 'lowest price ever', 3.90])
    notes.append(['Articles', '=COUNTA(Catalogue!A2:A13)', None])
    wb.save(path)
    same_bytes(path)

def setup(folder):
    book(folder / 'prices.xlsx', ROWS)
    book(folder / 'prices_2024.xlsx', [(a, b, c, d - 0.5, e) for a, b, c, d, e in ROWS[:9]])
