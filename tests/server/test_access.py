"""Who may ask: tokens, addresses, and the names that requests are for."""

import pytest

from mooe.server.access import check_address, check_host, is_local, token_of
from mooe.server.problems import OtherSiteError


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_a_public_address_needs_a_token(host):
    assert not is_local(host)
    with pytest.raises(ValueError, match="set MOOE_TOKEN or --token-file"):
        check_address(host, None)
    check_address(host, "secret")


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


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8080", "127.0.0.1:80", "[::1]:8080", "[::1]", "localhost.", ""]
)
def test_this_machine_goes_by_its_own_names(host):
    check_host({b"host": host.encode()})


@pytest.mark.parametrize(
    "host",
    [
        "evil.org",
        "evil.org:8080",
        "localhost.evil.org",
        "127.0.0.1.evil.org",
        "10.0.0.1",
        "\xff",
        ":",
    ],
)
def test_a_name_that_another_site_lets_point_here_is_refused(host):
    with pytest.raises(OtherSiteError, match="host must be this machine's own"):
        check_host({b"host": host.encode("latin-1")})
