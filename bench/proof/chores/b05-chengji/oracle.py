from decimal import Decimal, ROUND_HALF_UP
from openpyxl import load_workbook

wb = load_workbook('成绩.xlsx', data_only=True)
weak, maths = [], []
for ws in wb.worksheets:
    if ws.title == '说明':
        continue
    for name, *marks in ws.iter_rows(min_row=2, max_col=4, values_only=True):
        if name is None:
            continue
        if marks[1] != '缺考':
            maths.append(Decimal(str(marks[1])))
        if '缺考' not in marks and sum(marks) < 180:
            weak.append((sum(marks), ws.title, name))
weak.sort()
with open('补习名单.txt', 'w', encoding='utf-8') as f:
    for total, group, name in weak:
        f.write(f'{group} {name} {total:g}\n')
print((sum(maths) / len(maths)).quantize(Decimal('0.1'), ROUND_HALF_UP))
