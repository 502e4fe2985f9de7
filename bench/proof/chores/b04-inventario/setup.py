SHOP = '''codigo,articulo,cantidad,precio,actualizado
AB-120,"Cable HDMI, 2 m",14,8.90,2025-03-02
ab-12,Enchufe múltiple,3,12.50,2025-01-15
CN-7,Cuaderno español,40,2.10,2025-02-11
 DR-3,Destornillador,9,4.75,2024-12-30
CN-7,Cuaderno español A4,35,2.20,2025-02-28
LZ-01,Lápiz HB,200,0.35,2025-03-09
PL-9,Pilas AA,60,3.99,2025-01-04
'''
STORE = '''codigo\tarticulo\tcantidad\tprecio\tactualizado
AB-12\tEnchufe múltiple blanco\t11\t12.90\t03/02/2025
dr-3\tDestornillador plano\t22\t4.60\t12/11/2024
PL-9 \tPilas AA (pack 4)\t48\t4.05\t10/03/2025
AB-120\tCable HDMI\t2\t8.50\t04/01/2025
NU-5\tPañuelos, caja\t75\t1.15\t20/02/2025
lz-010\tLápiz de color\t90\t0.55\t07/01/2025
'''


def setup(folder):
    (folder / 'tienda.csv').write_bytes(SHOP.encode('utf-8'))
    (folder / 'almacen.tsv').write_bytes(STORE.encode('utf-8'))
    (folder / 'tienda_2023.csv').write_bytes(b'codigo,articulo,cantidad,precio,actualizado\nZZ-1,Fax,1,90.00,2023-05-05\n')
