"""Ids of predictions."""

import pytest

from mooe.platform.ids import check_id, number_of, server_id


@pytest.mark.parametrize("n", [1, 17, 10**17])
def test_an_id_of_the_platform_is_its_number(n):
    assert number_of(server_id(n)) == n
    with pytest.raises(ValueError, match="which ids of the platform do"):
        check_id(server_id(n))


@pytest.mark.parametrize("name", ["~", "~x", "~-1", "~01", "~1.0", "~" + "9" * 30, "~٣"])
def test_what_only_looks_like_one_is_nobodys(name):
    assert number_of(name) == 0


@pytest.mark.parametrize("name", ["17", "order 17", "a" * 200, "é", "a~1"])
def test_clients_give_any_other_text(name):
    check_id(name)
    assert number_of(name) is None
