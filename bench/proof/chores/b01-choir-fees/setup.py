import re
import zipfile
from openpyxl import Workbook
from openpyxl.styles import Font

MEMBERS = [('M014', 'Alice Thornton', 60), ('M003', "Brian O'Dea", 60), ('M021', 'Jürgen Weiß', 60),
           ('M007', 'Dilys Pugh', 30), ('M112', 'Eve Marchetti', 60), ('M012', 'Frank Lowe', 60),
           ('M030', 'Gita Rao', 30), ('M031', 'Hugh Rao', 60), ('M045', 'Ines Duarte', 60),
           ('M050', 'Joan Peel', 30)]


def rezip(path):
    """The same bytes every time: no clock in the package."""
    with zipfile.ZipFile(path) as z:
        parts = [(i.filename, z.read(i.filename)) for i in z.infolist()]
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in parts:
            if name == 'docProps/core.xml':
                data = re.sub(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', b'2025-01-02T08:00:00Z', data)
            z.writestr(zipfile.ZipInfo(name, (2025, 1, 2, 8, 0, 0)), data)


def setup(folder):
    wb = Workbook()
    old = wb.active
    old.title = '2024'
    now = wb.create_sheet('2025')
    for ws in (old, now):
        ws.append(['No.', 'Name', 'Fee', 'Paid', 'Status'])
        for c in ws[1]:
            c.font = Font(bold=True)
        ws.column_dimensions['B'].width = 24
    for number, name, fee in MEMBERS[:7]:
        old.append([number, name, fee - 5, fee - 5, 'paid'])
    for number, name, fee in MEMBERS:
        now.append([number, name, fee])
    now.append(['Total', None, '=SUM(C2:C11)', '=SUM(D2:D11)'])
    wb.save(folder / 'members.xlsx')
    rezip(folder / 'members.xlsx')
    (folder / 'bank.csv').write_text('''Date,From,Reference,Amount
2025-01-06,A THORNTON,"Choir fee M014, Alice",60.00
2025-01-09,B ODEA,m003 first half,30.00
2025-01-13,J WEISS,Beitrag M021,45.00
2025-01-20,PARISH HALL,Deposit returned KM1234,75.00
2025-02-03,D PUGH,M007,35.00
2025-02-10,E MARCHETTI,"m112, with thanks",60.00
2025-02-17,A THORNTON,Cake sale takings,22.40
2025-03-03,B ODEA,second half M003,30.00
2025-03-10,G RAO,fee M030,12.50
2025-03-11,G RAO,Fee m030 again,7.25
2025-03-24,H RAO,M031 HUGH,60.00
2025-03-28,COUNCIL,Grant 012/2025,500.00
2025-04-01,J PEEL,Subs (M050),30.00
''', encoding='utf-8', newline='')
