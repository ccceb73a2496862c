"""A store of each kind for tests; a PostgreSQL server is started for them where it can be had."""

import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import pytest

NUMBERS = count()


def server_programs():
    """Return the folder of PostgreSQL's programs, fetched by apt where we may; or None."""
    for is_last in (False, True):
        folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if folders:
            return folders[-1].parent
        if is_last or os.getuid() != 0 or shutil.which("apt-get") is None:
            return None
        subprocess.run(["apt-get", "install", "-y", "-q", "postgresql"], capture_output=True)


@pytest.fixture(scope="session")
def postgres():
    """Start a server of our own under its own user; return the URL without a database."""
    pytest.importorskip("psycopg")
    programs = server_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed, and apt cannot be used here")
    is_root = os.getuid() == 0
    who = {"user": "postgres", "group": "postgres", "extra_groups": []} if is_root else {}
    folder = Path(tempfile.mkdtemp(prefix="mooe-pg-", dir="/tmp"))
    if is_root:
        shutil.chown(folder, "postgres", "postgres")
    data, log = folder / "data", folder / "log"

    def run(program, *arguments):
        return subprocess.run(
            [programs / program, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=folder,
            check=True,
            **who,
        )

    try:
        run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")
        options = (
            f"-c listen_addresses='' -c unix_socket_directories={folder} -c max_connections=40"
        )
        run("pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start")
    except (subprocess.CalledProcessError, OSError) as problem:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL does not start here: {problem}")
    try:
        yield str(folder)
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres):
    """Return the URL of a new database."""
    import psycopg

    name = f"store_{next(NUMBERS)}"
    with psycopg.connect(host=postgres, user="postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    return f"postgresql://postgres@/{name}?host={postgres}"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Return where a store is to be, of each kind."""
    if request.param == "sqlite":
        return tmp_path / "store"
    return request.getfixturevalue("postgres_url")
