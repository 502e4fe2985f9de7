TABLES = {
    'plot_A.tsv': 'sample\tdepth_cm\ttemp_F\tmoisture\nA01\t10\t59.0\t0.21\nA02\t20\t62.6\t0.25\nA03\t40\t86.0\t0.31\nA04\t20\tNA\t0.22\nA05\t30\t60.8\tNA\nA06\t50\t84.2\t0.33\nA07\t45\t89.6\t0.30\n',
    'plot_B.tsv': 'sample\ttemp_F\tdepth_cm\tmoisture\nB01\t64.4\t10\t0.18\nB02\t66.2\t25\t-999\nB03\t-999\t5\t0.20\nB04\t63.5\t30\t0.19\nB05\t65.3\t15\t\n',
    'plot_C.tsv': 'sample\tdepth_cm\ttemp_F\tmoisture\nC01\t10\t68.0\t0.15\nC02\t30\t66.2\t0.16\nC03\t31\t41.0\t0.40\nC04\t12\t\t0.17\nC05\t8\t64.4\t0.14\nC06\t22\t69.8\t0.15\nC07\t100\t39.2\t0.41\n',
    'plot_D.tsv': 'sample\tmoisture\tdepth_cm\ttemp_C\nD01\t0.20\t10\t18.4\nD02\t0.21\t20\t19.1\nD03\t0.20\t9\t-999\nD04\t0.24\t30\t17.9\nD05\t0.30\t35\t25.0\n',
    'plot_E.tsv.txt': 'abandoned in June, do not use\n',
}
def setup(folder):
    d = folder / 'data'
    d.mkdir()
    for name, text in TABLES.items():
        (d / name).write_bytes(text.encode('utf-8'))
    (folder / 'README.md').write_text('# Soil 2025\n\nPlots A to D, see data/.\n')
