"""What tests of several files share."""

import signal

import pytest

from mooe.streams import delimited

# Started in the background, a shell has programs ignore interrupts; the tests send some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def spark():
    """One Spark for all tests that ask for it: a JVM takes seconds to start."""
    pytest.importorskip("pyspark")
    from spark import session

    session.needs_java()
    found = session.start()
    yield found
    found.stop()


@pytest.fixture(params=["arrow", "csv"])
def engine(request, monkeypatch):
    """Read delimited text with pyarrow, then with Python alone: both must give the same."""
    if request.param == "arrow":
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setattr(delimited, "by_arrow", lambda block, layout: None)
    return request.param
