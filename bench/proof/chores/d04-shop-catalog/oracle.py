from decimal import ROUND_HALF_UP, Decimal

from lxml import etree

tree = etree.parse('catalog.xml')
root = tree.getroot()
removed, left = 0, []
for product in list(root.iter('product')):
    if product.get('status') == 'discontinued' and int(product.findtext('stock')) == 0:
        previous = product.getprevious()
        # the blanks behind it belong to it, save behind the last one
        if product.getnext() is None and previous is not None:
            previous.tail = product.tail
        product.getparent().remove(product)
        removed += 1
        continue
    price = product.find('price')
    value = Decimal(price.text)
    if product.findtext('category').strip() != 'Books':
        value = (value * Decimal('1.05')).quantize(Decimal('0.01'), ROUND_HALF_UP)
        price.text = str(value)
    left.append((value, product.findtext('name')))
tree.write('catalog.xml', encoding='UTF-8', xml_declaration=True)
value, name = max(left)
print(f'{removed} products were taken out; the most expensive one is now "{name}" at {value}.')
