FILES = {
    'deploy/berlin/compose.yml': '''services:
  api:
    image: ghcr.io/acme/api:2.3.0   # keep in step with worker
    ports: ["8080:8080"]
  worker:
    image: "ghcr.io/acme/api:2.3.0"
    command: worker
  gateway:
    image: ghcr.io/acme/api-gateway:2.3.0
''',
    'deploy/madrid/compose.yaml': '''# image: ghcr.io/acme/api:2.1.0
services:
    docs:
        image: ghcr.io/acme/api-docs:latest
    api:
        image: 'ghcr.io/acme/api:latest'
    db:
        image: postgres:16
''',
    'deploy/lyon/compose.yml': '''services:
  api:
    image: ghcr.io/acme/api:1.12.4
    # image: ghcr.io/acme/api:2.2.0
  cache:
    image: redis:7
''',
    'deploy/oslo/blue/compose.yml': '''services:
  migrate:
    image: ghcr.io/acme/api:1.9.2
    command: migrate --from 2.0.0
  api:
    environment:
      - API_IMAGE_NOTE=was ghcr.io before
    image:   ghcr.io/acme/api:2.0.7
    restart: always
''',
    'deploy/oslo/green/compose.yml': '''services:
  api:
    image: ghcr.io/acme/api:2.4.1
''',
    'deploy/turin/compose.yml': '''services:
  api:
    image: docker.io/acme/api:2.3.0
  other:
    image: ghcr.io/acme/api:12.0.1
''',
    'deploy/turin/compose.yml.old': '''services:
  api:
    image: ghcr.io/acme/api:2.3.0
''',
    'deploy/notes.txt': 'berlin runs image: ghcr.io/acme/api:2.3.0\n',
    'local/compose.yml': '''services:
  api:
    image: ghcr.io/acme/api:latest
''',
}


def setup(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
