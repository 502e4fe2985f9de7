FILES = {
    'services/billing/app.ini': '''; billing service
[app]
name = billing
env = staging

[database]
# the old box, see OPS-881
host = db-stg-01.internal
port = 5432
user = billing

[cache]
host = cache-01.internal
port = 6379
''',
    'services/billing/prod.ini': '''[app]
name = billing
env = production

[database]
host = db-prd-01.internal
port = 5432
''',
    'services/search/config/search.ini': '''[cache]
host=cache-02.internal
port=6379

[database]
user=search
host=db-stg-01.internal
name=search

[app]
env=staging
name=search
''',
    'services/search/config/search-pre.ini': '''[app]
env = pre-staging

[database]
host = db-stg-01.internal
port = 5432
''',
    'services/mailer/mailer.ini': '''[app]
env = staging
name = mailer

[smtp]
host = smtp.internal
port = 25
''',
    'services/mailer/mailer.dev.ini': '''[app]
; env = staging
env = dev

[database]
host = localhost
port = 5432
''',
    'services/reports/reports.ini': '''[app]
env =   staging
name = reports


[database]
port = 5431
; host = db-stg-00.internal
host = db-stg-01.internal
ssl_host = db-ssl.internal
''',
    'services/reports/reports.ini.bak': '''[app]
env = staging

[database]
host = db-stg-01.internal
port = 5432
''',
    'services/jobs/worker.ini': '''[app]
name = worker
env = dev

[worker]
env = staging

[database]
host = db-dev-01.internal
port = 5432
''',
    'tools/tools.ini': '''[app]
env = staging

[database]
host = db-stg-01.internal
port = 5432
''',
}


def setup(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
