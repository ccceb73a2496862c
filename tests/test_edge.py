"""The edge: errors that change nothing."""

import pytest

from mooe import MOOEClassifier, edge


def test_an_interrupt_leaves_the_attributes_as_they_were():
    model = MOOEClassifier(mode="paper")
    before = dict(vars(model))

    def learn():
        with edge.unchanged_on_error(model):
            model.state_ = "half"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn()
    assert vars(model) == before
