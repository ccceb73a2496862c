"""What is unknown of each method: as many settings for all, and each of them a real one."""

import pytest

from mooe.run.registry import make_learner
from mooe_paper.accuracy.models import PAPER_MODELS
from mooe_paper.accuracy.runs import SETTINGS
from mooe_paper.unknowns import N_SETTINGS, RADII, SWEEPS, WORDS, default_setting


def test_every_method_of_the_paper_has_the_same_number_of_settings():
    assert tuple(SWEEPS) == PAPER_MODELS == tuple(WORDS)
    assert {len(settings) for settings in SWEEPS.values()} == {N_SETTINGS}


@pytest.mark.parametrize("model", SWEEPS)
def test_the_first_setting_is_our_default_and_all_differ(model):
    learners = {
        name: make_learner(model, parameters={key: str(v) for key, v in values.items()})
        for name, values in SWEEPS[model].items()
    }
    assert learners[default_setting(model)].params == make_learner(model).params
    assert len({repr(learner.params) for learner in learners.values()}) == N_SETTINGS


def test_what_the_paper_gives_is_not_swept():
    for model, settings in SWEEPS.items():
        swept = {key for values in settings.values() for key in values}
        assert not swept & set(SETTINGS[model])


def test_radii_are_settings_of_the_papers_method():
    assert RADII.items() <= SWEEPS["mooe-paper"].items()
