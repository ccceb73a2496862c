"""Tables that tests of several commands share."""

import pytest
from shop import as_csv, made_rows


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    path = tmp_path_factory.mktemp("shop") / "shop.csv"
    path.write_text(as_csv(made_rows()))
    return path
