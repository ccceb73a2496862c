"""Where the server listens, and who may ask."""

import pytest

from mooe.platform import Platform
from mooe.server.process import check_address, is_local, listener, token_of


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_a_public_address_needs_a_token(host, tmp_path):
    assert not is_local(host)
    with pytest.raises(ValueError, match="set MOOE_TOKEN or --token-file"):
        check_address(host, None)
    check_address(host, "secret")
    with Platform(tmp_path / "store") as platform, pytest.raises(ValueError, match="token"):
        listener(platform, host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.3.4.5"])
def test_this_machine_needs_none(host):
    check_address(host, None)


def test_the_token_is_that_of_the_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("MOOE_TOKEN", raising=False)
    assert token_of(None) is None
    monkeypatch.setenv("MOOE_TOKEN", " from outside \n")
    assert token_of(None) == "from outside"
    (tmp_path / "token").write_text("of the file\n")
    assert token_of(tmp_path / "token") == "of the file"
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(ValueError, match="must hold a token"):
        token_of(tmp_path / "empty")
