FILES = {
    'services/billing/settings.ini': '# billing\n[database]\nhost = db1\ntimeout = 30\ntimeout_connect = 5\n\n[cache]\ntimeout = 10\n',
    'services/billing/settings.ini.bak': '[database]\nhost = db0\ntimeout = 15\n',
    'services/auth/settings.ini': '[cache]\ntimeout=5\n[database]\n; timeout=20 was too short\ntimeout=25\nhost=db2\n',
    'services/mail/settings.ini': '[smtp]\r\ntimeout = 20\r\n\r\n[database]\r\nhost = db1\r\ntimeout   =   9\r\npool = 9\r\n',
    'services/search/settings.ini': '[database]\nhost = db3\ntimeout = 60\n\n[index]\ntimeout = 30\n',
    'services/report/settings.ini': '[database]\nhost = db3\ntimeout = 45\n',
    'services/gateway/settings.ini': '[proxy]\ntimeout = 12\n\n[database_replica]\ntimeout = 12\n',
    'services/export/settings.ini': '[database]\nhost = db1\n# timeout = 10\npool_timeout = 30\n',
    'services/zip-worker/settings.ini': '[general]\nname = Zürich\n\n[database]\ntimeout = 44  ; seconds, was 44 since 2021\nhost = db1',
    'services/auth/README.md': '# auth\n\n    [database]\n    timeout=25\n',
}


def setup(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode('utf-8'))
