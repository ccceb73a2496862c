"""A PostgreSQL server of our own, for tests and benchmarks: Debian's package, its own user."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path

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


@contextmanager
def postgres_server():
    """Start a server; yield the folder of its socket, or raise OSError where it cannot be had."""
    programs = server_programs()
    if programs is None:
        raise OSError("PostgreSQL is not installed, and apt cannot be used here")
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

    settings = ("listen_addresses=''", f"unix_socket_directories={folder}", "max_connections=40")
    try:
        run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")
        given = " ".join(f"-c {each}" for each in settings)
        run("pg_ctl", "-D", data, "-l", log, "-w", "-o", given, "start")
    except (subprocess.CalledProcessError, OSError) as problem:
        shutil.rmtree(folder, ignore_errors=True)
        raise OSError(f"PostgreSQL does not start here: {problem}") from problem
    try:
        yield str(folder)
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def new_database(folder):
    """Return the URL of a new database of such a server."""
    import psycopg

    name = f"store_{next(NUMBERS)}"
    with psycopg.connect(host=folder, user="postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    return f"postgresql://postgres@/{name}?host={folder}"
