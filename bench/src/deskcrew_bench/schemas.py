"""A part of a database on a server for one measurement, in which nothing else is."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import closing, contextmanager

from sqlalchemy import make_url


@contextmanager
def schema_of_its_own(database: str) -> Generator[str]:
    """The address of a schema that is made for this and removed afterwards; extensions are had from ``public``. '' for '',
    where a file is meant."""
    if not database:
        yield ""
        return
    import psycopg

    name, url = f"bench_{secrets.token_hex(6)}", make_url(database)
    options = f"{url.query.get('options', '')} -csearch_path={name},public".strip()
    with closing(psycopg.connect(database, autocommit=True)) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
        try:
            yield url.update_query_dict({"options": options}).render_as_string(hide_password=False)
        finally:
            connection.execute(f"DROP SCHEMA {name} CASCADE".encode())
