"""What a model tells: why it answers so, what its regimes are like, what they are called."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from mooe import (
    Model,
    ModelFileError,
    MOOEClassifier,
    MOOERegressor,
    PaperMOOEClassifier,
    PaperMOOERegressor,
    modelfile,
)
from mooe.auto import file
from mooe.auto.params import AutoParams
from mooe.auto.roster import EXPERTS
from mooe.explanation import (
    BY_LABELS,
    Concept,
    Explanation,
    InputWeight,
    Traits,
    telling_inputs,
    weight_of_labels,
)


def two_seasons(n=4000, length=500, seed=0):
    """Return rows of which the first column speaks for "warm" in one season, against it in another.

    The second always does, the third never; in the second season "warm" is rare.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    season = np.arange(n) // length % 2
    score = np.where(season == 0, 2.0, -2.0) * X[:, 0] + X[:, 1] - 2.0 * season
    return X, np.where(score > 0, "warm", "cold"), season


@pytest.fixture(scope="module")
def seasons():
    X, y, _ = two_seasons()
    import pandas

    frame = pandas.DataFrame(X, columns=["sun", "wind", "noise"])
    return MOOEClassifier().fit(frame, y), frame


def test_the_inputs_that_set_a_regime_apart_are_found(seasons):
    model, _ = seasons
    assert len(model.concepts_) == 2
    for concept in model.concepts_:
        most = concept.inputs[0]
        assert (most.column, most.label) == ("sun", "warm")
        assert np.sign(most.weight) == -np.sign(most.elsewhere)
        assert "noise" not in [weight.column for weight in concept.inputs]
    one, two = model.concepts_
    assert one.inputs[0].weight == two.inputs[0].elsewhere


def test_the_shares_of_classes_are_those_of_the_rows_of_a_regime(seasons):
    model, _ = seasons
    _, y, season = two_seasons()
    for concept in model.concepts_:
        rows = np.concatenate([np.arange(a, b + 1) for a, b in concept.visits])
        truth = {label: np.mean(y[season == np.median(season[rows])] == label) for label in set(y)}
        assert sum(share for _, share in concept.shares) == pytest.approx(1.0)
        for label, share in concept.shares:
            assert share == pytest.approx(truth[label], abs=0.05)


def test_regimes_of_three_classes_and_of_a_regression_are_described():
    X, _, season = two_seasons()
    value = np.where(season == 0, 10.0 + 5.0 * X[:, 0], -10.0 - 5.0 * X[:, 0])
    regressor = MOOERegressor().fit(X, value)
    for concept in regressor.concepts_:
        assert abs(concept.mean) == pytest.approx(10.0, abs=1.0)
        assert concept.shares == ()
        assert concept.inputs[0].column == 0
        assert concept.inputs[0].label is None
        assert abs(concept.inputs[0].weight) == pytest.approx(5.0, abs=1.5)
    three = np.digitize(np.where(season == 0, X[:, 0], -X[:, 0]), [-0.5, 1.0])
    classifier = MOOEClassifier().fit(X, three)
    assert classifier.concepts_
    for concept in classifier.concepts_:
        assert [label for label, _ in concept.shares] == [1, 0, 2]
        assert concept.inputs[0].column == 0


def test_a_class_that_comes_late_is_counted_from_then_on():
    X, y, _ = two_seasons()
    y = y.astype(object)
    y[3000:][X[3000:, 2] > 1.0] = "fog"
    model = MOOEClassifier().fit(X[:3000], y[:3000])
    before = {concept.name: dict(concept.shares) for concept in model.concepts_}
    model.partial_fit(X[3000:3001], ["fog"])
    for concept in model.concepts_:
        if concept.name in before:
            assert dict(concept.shares) == pytest.approx({**before[concept.name], "fog": 0.0})
    model.partial_fit(X[3001:], y[3001:])
    assert any(dict(concept.shares)["fog"] > 0.0 for concept in model.concepts_)


def test_only_a_difference_that_tells_is_named():
    weights = np.array([[1.0, 0.5, 0.1]])
    traits = [Traits(1, weights, np.zeros(2)), Traits(2, np.zeros((1, 3)), np.zeros(2))]
    assert telling_inputs(traits, 0) == [(0, 0, 1.0, 0.0), (1, 0, 0.5, 0.0)]
    assert telling_inputs(traits[:1], 0) == []


def test_a_regime_has_the_name_that_the_user_gives_it_for_good(seasons):
    model, frame = seasons
    model = MOOEClassifier.from_bytes(model.to_bytes())
    now = model.regime_
    assert model.name_regime(now, "summer") is model
    again = MOOEClassifier.from_bytes(model.to_bytes())
    named = {concept.name: concept.title for concept in again.concepts_}
    assert named.pop(now) == "summer"
    assert set(named.values()) == {""}
    assert f"{now} (summer), since row" in repr(again)
    assert "summer" in again._repr_html_()
    assert "for warm" in again._repr_html_()
    assert "(summer)" in again.explain(frame[:1]).sentence
    model.name_regime(now, "")
    assert all(concept.title == "" for concept in model.concepts_)


def test_wrong_names_are_refused_and_change_nothing(seasons):
    model = MOOEClassifier.from_bytes(seasons[0].to_bytes()).name_regime(1, "summer")
    before = model.to_bytes()
    for number, title, rule in (
        (99, "x", r"number must be that of a regime \(1, 2\), got 99"),
        (2, "x" * 41, "at most 40 characters"),
        (2, "two\nlines", "in one line"),
        (2, "summer", "of one regime alone"),
    ):
        with pytest.raises(ValueError, match=rule):
            model.name_regime(number, title)
    assert model.to_bytes() == before


@pytest.mark.parametrize(
    "noted",
    [
        *([], {"titles": []}, {"titles": {"x": "summer"}}, {"titles": {"1": 3}}, {"more": {}}),
        {"dates": {"1": "soon"}},
    ],
)
def test_notes_on_regimes_that_nobody_wrote_are_refused(seasons, noted):
    model = Model.from_bytes(seasons[0].to_bytes())
    model.notes = {"regimes": noted}
    with pytest.raises(ModelFileError, match="notes on regimes"):
        Model.from_bytes(model.to_bytes())


def test_files_of_before_outcomes_were_counted_load_and_count_from_then_on(seasons):
    """As a file of format 4 has it."""
    model, _ = seasons
    contents = modelfile.from_bytes(model.to_bytes())
    arrays = file.learnt(contents.params, contents.state)
    header = json.loads(modelfile.read_header(model.to_bytes())[0])
    old = {name: array for name, array in arrays.items() if not name.endswith(".outcomes")}
    assert len(old) == len(arrays) - 2
    blob = modelfile._pack({**header, "format": 4}, dict(old), {})
    loaded = MOOEClassifier.from_bytes(blob)
    assert [concept.shares for concept in loaded.concepts_] == [(), ()]
    X, y, _ = two_seasons(seed=1)
    frame = seasons[1][:0].reindex(range(200))
    frame[:] = X[:200]
    assert np.array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    loaded.partial_fit(frame, y[:200])
    assert any(concept.shares for concept in loaded.concepts_)
    with pytest.raises(ModelFileError, match="damaged"):
        MOOEClassifier.from_bytes(modelfile._pack(header, dict(old), {}))


@pytest.mark.parametrize("seed", range(4))
def test_numbers_count_from_1_and_a_number_that_is_gone_is_not_given_again(seed):
    rng = np.random.default_rng(seed)
    X, directions = rng.normal(size=(16_000, 4)), rng.normal(size=(7, 4))
    which = np.repeat(rng.integers(7, size=80), 200)
    y = ((X * directions[which]).sum(axis=1) > 0).astype(float)
    model, known, gone, shown = Model(AutoParams(max_concepts=4)), [], set(), None
    for first in range(0, len(X), 40):
        model.learn(X[first : first + 40], y[first : first + 40])
        numbers = [concept.name for concept in model.concepts()]
        new = [number for number in numbers if number not in known]
        assert new == list(range(len(known) + 1, len(known) + 1 + len(new)))
        known += new
        if model.state.shown != shown:  # the other memory may bring a regime back under its number
            gone, shown = set(), model.state.shown
        gone |= set(known) - set(numbers)
        assert not gone & set(numbers)
    assert known[0] == 1
    assert gone, "no regime was ever forgotten"


def test_an_explanation_says_what_spoke_for_the_answer(seasons):
    model, frame = seasons
    row = frame[-1:].assign(sun=-2.0, wind=1.0, noise=0.0)
    told = model.explain(row)
    assert isinstance(told, Explanation)
    assert told.answer == model.predict(row)[0]
    chances = dict(zip(model.classes_.tolist(), model.predict_proba(row)[0], strict=True))
    assert told.probabilities == pytest.approx(chances)
    assert told.regime == model.regime_
    assert told.inputs[0].column == "sun"
    effects = {found.column: found.effect for found in told.inputs}
    assert abs(effects["sun"]) > 3 * abs(effects.get("noise", 0.0))
    without = model.predict_proba(
        row.assign(sun=model.model_.engine.column_means(model.params_, model.state_)[0])
    )[0]
    place = model.classes_.tolist().index(told.answer)
    assert effects["sun"] == pytest.approx(told.probabilities[told.answer] - without[place])
    assert told.sentence.startswith(f"{told.answer}, with a probability of ")
    assert "sun = -2" in told.sentence
    assert f"regime {model.regime_}" in told.sentence
    assert str(told) == told.sentence
    assert told.sentence.partition(",")[0] in told._repr_html_()


def test_an_explanation_is_also_the_sequence_of_votes(seasons):
    model, frame = seasons
    told = model.explain(frame[:1])
    assert len(told) == len(model.experts_) == len(list(told))
    assert told[0].expert == model.experts_[0]
    assert told[:2] == told.votes[:2]
    assert sum(vote.expert.weight for vote in told) == pytest.approx(1.0)


def test_indicators_of_one_column_are_explained_together():
    rng = np.random.default_rng(0)
    town = rng.integers(3, size=2000)
    X = np.column_stack([rng.normal(size=2000), *(town == k for k in range(3))]).astype(float)
    model = Model(
        AutoParams(), ["size", "town=Bonn", "town=Köln", "town=Ulm"], [None, *["town"] * 3]
    )
    model.learn(X, model.labels.encode(np.where(town == 1, "yes", "no")))
    told = model.explain(X[town == 1][:1])
    assert (told.inputs[0].column, told.inputs[0].value) == ("town", "Köln")
    assert told.inputs[0].effect > 0.3
    assert "town = Köln" in told.sentence


def test_every_kind_of_model_explains_itself():
    X, y, _ = two_seasons(600, 100)
    value = X[:, 0] - X[:, 1]
    for model in (MOOERegressor(), PaperMOOERegressor(target_bounds=(-9, 9))):
        told = model.fit(X, value).explain(X[0])
        assert told.answer == model.predict(X[:1])[0]
        assert told.probabilities == {}
        assert {found.column for found in told.inputs[:2]} == {0, 1}
        assert "higher for" in told.sentence or "lower for" in told.sentence
    paper = PaperMOOEClassifier().fit(X, y).explain(X[0])
    assert paper.regime is None
    assert set(paper.probabilities) == {"cold", "warm"}
    added = MOOEClassifier().add_expert(LogisticRegression().fit(X, y), "batch").fit(X, y)
    assert "batch" in [vote.expert.name for vote in added.explain(X[0])]


def test_wide_and_sparse_rows_are_explained_by_what_they_hold():
    rng = np.random.default_rng(0)
    X = (rng.random((600, 1500)) < 0.01).astype(float)
    X[:, 7] = rng.random(600) < 0.5
    y = np.where(X[:, 7] > 0, "spam", "ham")
    model = MOOEClassifier().fit(sparse.csr_array(X[:500]), y[:500])
    row = X[500:][X[500:, 7] > 0][:1]
    told = model.explain(sparse.csr_array(row))
    assert told.inputs[0].column == 7
    assert told.inputs == model.explain(row[0]).inputs
    assert {found.column for found in told.inputs} <= set(np.flatnonzero(row[0]).tolist())


def test_absent_values_and_single_classes_are_explained_too():
    X, y, _ = two_seasons(400, 100)
    model = MOOEClassifier().fit(X, y)
    told = model.explain([np.nan, 1.0, 0.0])
    assert 0 not in [found.column for found in told.inputs]
    only = MOOEClassifier().fit(X[:30], ["only"] * 30).explain(X[0])
    assert (only.answer, only.inputs) == ("only", ())
    assert "no single input mattered" in only.sentence


def test_labels_that_follow_from_those_before_are_explained_by_them():
    X = np.random.default_rng(0).normal(size=(600, 3))
    model = MOOEClassifier().fit(X, np.arange(600) % 3)
    assert weight_of_labels(model.experts_) > 0.9
    told = model.explain(X[0])
    assert (told.answer, told.inputs) == (0, ())
    assert "the labels before tell it, no single input mattered" in told.sentence
    assert set(BY_LABELS) <= set(EXPERTS)


def test_when_a_regime_was_here_is_told_by_date_or_by_row():
    facts = (3, 80, 2, 0, 99, ((0, 39), (60, 99)), True)
    assert Concept(*facts).when() == "now, since row 60; rows 0-39"
    dates = (("2022-01-01", "2022-02-09"), ("2022-03-02", "2022-04-10"))
    assert Concept(*facts, dates=dates).when() == "now, since 2022-03-02; 2022-01-01 to 2022-02-09"
    same = (("2022-01-01 10:00", "2022-01-01 12:30"), ("", ""))
    assert Concept(*facts, dates=same).when() == "now, since row 60; 2022-01-01 10:00 to 12:30"
    many = tuple((10 * k, 10 * k + 4) for k in range(6))
    told = Concept(1, 80, 2, 0, 54, many, False).when()
    assert told == "rows 50-54; rows 40-44; rows 30-34; and 3 times before"


def test_a_weight_is_told_for_its_class():
    assert str(InputWeight("sun", "warm", 0.5, -0.25)) == "sun +0.50 for warm (elsewhere -0.25)"
    assert str(InputWeight(3, None, 12.0, 0.0)) == "column 3 +12 (elsewhere 0)"
    assert str(InputWeight("a", 1, 1.0, 2.0)) == "a +1.00 for class 1 (elsewhere +2.00)"
