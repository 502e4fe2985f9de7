CATALOG = '''<?xml version="1.0" encoding="UTF-8"?>
<!-- exported from the till -->
<catalog shop="Corner Shop" currency="EUR">
  <product id="101" status="active">
    <name>Desk lamp &amp; bulb</name>
    <category>Lighting</category>
    <price>49.90</price>
    <shipping>4.90</shipping>
    <stock>12</stock>
  </product>
  <product id="102" status="discontinued">
    <name>Paper fan</name>
    <category>Gifts</category>
    <price>3.50</price>
    <shipping>1.90</shipping>
    <stock>0</stock>
  </product>
  <product id="103" status="active">
    <!-- fixed price -->
    <name>Atlas of Rivers</name>
    <category>Books</category>
    <price>128.00</price>
    <shipping>0.00</shipping>
    <stock>3</stock>
  </product>
  <product id="104" status="discontinued">
    <name>Globe, small</name>
    <category>Gifts</category>
    <price>24.10</price>
    <shipping>4.90</shipping>
    <stock>2</stock>
  </product>
  <product id="105" status="active">
    <name>Notebook, lined</name>
    <category>Notebooks</category>
    <price>4.30</price>
    <shipping>1.90</shipping>
    <stock>0</stock>
  </product>
  <product id="106" status="discontinued">
    <name>Poems for the Train</name>
    <category>Books</category>
    <price>9.00</price>
    <shipping>0.00</shipping>
    <stock>0</stock>
  </product>
  <product id="107" status="active" featured="yes">
    <name>Espresso pot</name>
    <category>Kitchen</category>
    <price>123.13</price>
    <shipping>6.90</shipping>
    <stock>5</stock>
  </product>
  <product id="108" status="discontinued">
    <name>Wall clock</name>
    <category>Gifts</category>
    <price>150.00</price>
    <shipping>6.90</shipping>
    <stock>0</stock>
  </product>
  <product id="109" status="active">
    <name>Café mug „Größe L“</name>
    <category>Kitchen</category>
    <price>8.00</price>
    <shipping>4.90</shipping>
    <stock>30</stock>
  </product>
  <!-- seasonal -->
  <product id="110" status="active">
    <name>Candle (discontinued scent)</name>
    <category>Gifts</category>
    <price>1.13</price>
    <shipping>1.90</shipping>
    <stock>0</stock>
  </product>
</catalog>
'''


def setup(folder):
    (folder / 'catalog.xml').write_bytes(CATALOG.encode('utf-8'))
