import re
import zipfile

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

MEMBERS = [
    ('M-001', 'Henry Okafor', 'adult', 120, None),
    ('M-002', 'Sara Lind', 'youth', 60, None),
    ('M-003', 'Pavel Novak', 'adult', 120, 'pays late every year'),
    ('M-004', 'Joanna Reid', 'adult', 120, 'two instalments agreed'),
    ('M-005', 'Colin Bright', 'adult', 120, None),
    ('M-006', 'Mei Tanaka', 'student', 80, None),
    ('M-007', 'Luis Ferreira', 'adult', 120, None),
    ('M-008', 'Ines Albrecht', 'youth', 60, None),
    ('M-009', 'Oskar Dahl', 'student', 80, 'abroad until May'),
    ('M-010', 'Ruth Meyer', 'adult', 120, None),
    ('M-011', 'Tim Archer', 'student', 80, None),
    ('M-012', 'Grace Umeh', 'adult', 120, None),
]

BANK = '''Date,Payer,Reference,Amount
2025-01-03,H. Okafor,Membership fee 2025 M-001,120.00
2025-01-05,"Lind, Sara",FEE 2025 / M-002,60.00
2025-01-07,Pavel Novak,"fee 2024 M-003, sorry for the delay",120.00
2025-01-09,Joanna Reid,Fee 2025 m-004 first half,60.00
2025-01-12,Colin Bright,Donation for the new oars M-005,250.00
2025-01-15,Club,Direct debit fee 2025 M-007,120.00
2025-01-17,Club,Direct debit fee 2025 M-008,60.00
2025-01-20,Bank,Returned: direct debit fee 2025 M-007,-120.00
2025-01-22,M. Tanaka,m-006 membership fee 2025,80.00
2025-02-02,City Boats Ltd,Boat storage fee 2025 B-003,45.00
2025-02-03,Tim Archer,Fee 2025 M-011 1/2,39.50
2025-02-10,H. Okafor,Boat storage 2025 M-001,45.00
2025-02-14,Ines Albrecht,FEE 2025 M-008,60.00
2025-03-01,Ruth Meyer,"Meyer, Ruth - fee 2025 - M-010",120.00
2025-03-04,Tim Archer,Fee 2025 M-011 2/2,39.50
2025-03-09,Luis Ferreira,M-007 fee 2025 rest follows,100.00
2025-03-11,Joanna Reid,Fee 2025 m-004 second half,30.00
2025-04-01,Grace Umeh,FEE 2025 M-012,120.00
2025-11-28,Grace Umeh,Fee 2026 M-012,120.00
2025-12-02,Regatta Office,Refund start money,75.00
'''

def freeze(path):
    """Rewrite a zip-based file so that its bytes do not depend on the clock."""
    with zipfile.ZipFile(path) as old:
        parts = [(info.filename, old.read(info)) for info in old.infolist()]
    with zipfile.ZipFile(path, 'w') as new:
        for name, data in parts:
            if name == 'docProps/core.xml':
                data = re.sub(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?', b'2025-01-15T09:00:00Z', data)
            info = zipfile.ZipInfo(name, (2025, 1, 15, 9, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            new.writestr(info, data)


def setup(folder):
    book = Workbook()
    sheet = book.active
    sheet.title = 'Members'
    sheet.append(['No', 'Name', 'Group', 'Fee', 'Paid', 'Note'])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
        cell.fill = PatternFill('solid', fgColor='FFDDE8F0')
    for number, name, group, fee, note in MEMBERS:
        sheet.append([number, name, group, fee, None, note])
    for row in range(2, len(MEMBERS) + 2):
        sheet.cell(row, 4).number_format = '0.00'
        sheet.cell(row, 5).number_format = '0.00'
    sheet.column_dimensions['B'].width = 22
    sheet.column_dimensions['F'].width = 26
    sheet['D1'].comment = Comment('As decided by the assembly', 'Board')
    sheet.freeze_panes = 'A2'
    board = book.create_sheet('Board')
    board.append(['Office', 'Name'])
    board.append(['Chair', 'Ruth Meyer'])
    board.append(['Treasurer', 'Henry Okafor'])
    totals = book.create_sheet('Totals')
    totals.append(['Fees due', '=SUM(Members!D2:D13)'])
    totals.append(['Fees paid', '=SUM(Members!E2:E13)'])
    book.save(folder / 'members.xlsx')
    freeze(folder / 'members.xlsx')
    (folder / 'bank_2025.csv').write_bytes(BANK.encode('utf-8'))
