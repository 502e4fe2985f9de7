import math
from collections import defaultdict
from decimal import Decimal

from openpyxl import Workbook, load_workbook

sheet = load_workbook('库存.xlsx', data_only=True)['商品']
rows = sheet.iter_rows(values_only=True)
head = next(rows)
orders = []
for values in rows:
    item = dict(zip(head, values))
    if not item['编号'] or item['状态'] == '停售' or item['库存'] >= item['最低库存']:
        continue
    boxes = math.ceil((2 * item['最低库存'] - item['库存']) / item['每箱'])
    amount = boxes * item['每箱']
    orders.append((item['编号'], item['名称'], item['供应商'], amount, amount * Decimal(str(item['进价']))))
orders.sort()

book = Workbook()
out = book.active
out.title = '补货单'
out.append(['编号', '名称', '供应商', '订货数量', '金额'])
for number, name, supplier, amount, cost in orders:
    out.append([number, name, supplier, amount, float(cost)])
book.save('补货单.xlsx')

by_supplier = defaultdict(Decimal)
for order in orders:
    by_supplier[order[2]] += order[4]
top = max(by_supplier, key=by_supplier.get)
print(f'一共要花 {sum(by_supplier.values()):.2f} 元；订货金额最大的供应商是{top}，{by_supplier[top]:.2f} 元。')
