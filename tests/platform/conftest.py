"""A store of each kind for tests; a PostgreSQL server is started for them where it can be had."""

from contextlib import ExitStack

import pytest
from postgres_server import new_database, postgres_server


@pytest.fixture(scope="session")
def postgres():
    """Start a server of our own under its own user; return the folder of its socket."""
    pytest.importorskip("psycopg")
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(postgres_server())
        except OSError as problem:
            pytest.skip(str(problem))
        yield folder


@pytest.fixture
def postgres_url(postgres):
    """Return the URL of a new database."""
    return new_database(postgres)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Return where a store is to be, of each kind."""
    if request.param == "sqlite":
        return tmp_path / "store"
    return request.getfixturevalue("postgres_url")
