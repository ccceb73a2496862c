"""Where the server listens."""

import pytest

from mooe.platform import Platform
from mooe.server.process import listener


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5"])
def test_nobody_listens_on_a_public_address_without_a_token(host, tmp_path):
    with Platform(tmp_path / "store") as platform, pytest.raises(ValueError, match="token"):
        listener(platform, host)
