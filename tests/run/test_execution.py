"""What is to be run, and how: one model over one stream, beside those it is compared with."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mooe.auto.params import MEMORIES
from mooe.auto.roster import EXPERTS
from mooe.datasets import recurring
from mooe.evaluate.learners import Majority, MooeLearner, NoChange
from mooe.evaluate.loop import prequential
from mooe.river_adapter import MOOEClassifier as RiverClassifier
from mooe.run.execution import MOST_CLASSES, Plan, Run, evaluate
from mooe.run.source_columns import SourceColumns, load_model


def test_a_plan_says_when_labels_come_what_is_read_and_what_learns():
    plan = Plan("recurring", "mooe", {"interval": "9"}, {"max_rows": 7}, 4, 0.5, 9, 3)
    stream = plan.open_stream()
    assert len(stream.y) == 7
    one_pass = Run(plan).one_pass
    schedule, results = one_pass.schedule, one_pass.results[0]
    assert (schedule.delay, schedule.label_probability) == (4, 0.5)
    assert (schedule.seed, results.seed, results.window) == (3, 3, 9)
    assert (results.stream, one_pass.most_classes) == ("recurring", MOST_CLASSES)
    params = plan.make_learner("regression").params
    assert (params.interval, params.task, params.seed) == (9, "regression", 3)


def finished(plan, resumed=None):
    run = Run(plan, resumed)
    run.go()
    return run


def saved(run, path):
    """Return the model of a run as another run finds it, and what its table held."""
    run.save_model(path)
    model = load_model(path)
    return model, SourceColumns.of(model).inputs


@pytest.fixture
def table(tmp_path):
    stream = recurring(n=600, n_features=3, n_concepts=2, length=100)
    path = tmp_path / "table.csv"
    lines = ["day,a,b,c,kind"]
    lines += [
        f"2024-01-01T{i // 60:02}:{i % 60:02},{a},{b},{c},{['no', 'yes'][y]}"
        for i, ((a, b, c), y) in enumerate(zip(stream.X.tolist(), stream.y.tolist(), strict=True))
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_loop_is_that_of_evaluate():
    run = finished(Plan("recurring", options={"max_rows": 3000}))
    stream = recurring().X[:3000], recurring().y[:3000]
    direct = prequential(MooeLearner(run.learner.params), type(run.stream)("recurring", *stream))
    for name, value in direct.cumulative.items():
        assert run.results.cumulative[name] == pytest.approx(value, rel=1e-12)
    assert run.results.features == 10
    assert [other.model for other in run.results.others] == ["no-change", "majority"]


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"delay": 7},
        {"delay": timedelta(minutes=5)},
        {"delay": None},
        {"label_probability": 0.5},
    ],
)
def test_the_trivial_models_know_what_the_model_knows(table, chosen):
    options = {"label": "kind", "time": "day"}
    run = finished(Plan(str(table), options=options, seed=3, **chosen))
    stream = run.plan.open_stream()
    for other, learner in zip(run.results.others, (NoChange(), Majority()), strict=True):
        assert other.cumulative == prequential(learner, stream, seed=3, **chosen).cumulative
        assert (other.rows, other.stream, other.features) == (600, "table.csv", 3)
        assert other.classes == run.results.classes


def test_a_trivial_model_is_not_its_own_neighbour(tmp_path):
    run = finished(Plan("recurring", "majority", options={"max_rows": 100}))
    assert [other.model for other in run.results.others] == ["no-change"]
    with pytest.raises(ValueError, match="must learn, got 'majority'"):
        run.save_model(tmp_path / "model")


def test_equal_plans_give_equal_results(table):
    plan = Plan(str(table), options={"label": "kind", "time": "day"}, watch=True)
    one, other = evaluate(plan), finished(plan).results
    assert one.cumulative == other.cumulative
    assert one.windows == other.windows
    assert one.moments == other.moments
    assert one.origin["data"]


@pytest.mark.parametrize(
    ("model", "given", "twin"),
    [
        ("mooe-paper", {"interval": "40"}, ("ogd", "ogd", {"interval": "40"})),
        ("mooe-paper", {"max_experts": "9"}, ("ogd", "ogd", {})),
        ("mooe", {}, ("mooe, no memory", "mooe", {"without": ",".join(MEMORIES)})),
        (
            "mooe",
            {"without": "steady", "interval": "9"},
            (
                "mooe, no memory",
                "mooe",
                {"without": ",".join([*MEMORIES, "steady"]), "interval": "9"},
            ),
        ),
    ],
)
def test_a_watched_model_runs_beside_itself_without_memory(table, model, given, twin):
    """As it would alone: nothing but the memory is different."""
    options = {"label": "kind", "time": "day"}
    plan = Plan(str(table), model, given, options, delay=7, watch=True)
    run = finished(plan)
    name, model, parameters = twin
    beside = run.results.without_memory
    apart = evaluate(replace(plan, model=model, parameters=parameters, watch=False))
    assert beside.model == name
    assert (beside.rows, beside.features) == (run.results.rows, run.results.features)
    assert beside.cumulative == apart.cumulative
    assert beside.windows == apart.windows


def test_a_model_that_goes_on_is_compared_with_its_own_settings_without_memory(table, tmp_path):
    options = {"label": "kind", "drop": ["day"]}
    first = finished(Plan(str(table), parameters={"interval": "9"}, options=options, seed=3))
    model, inputs = saved(first, tmp_path / "model")
    plan = Plan(str(table), options={**options, "inputs": inputs}, watch=True)
    beside = Run(plan, model).one_pass.trials[-1].learner
    assert (beside.params.interval, beside.params.seed, beside.remembers) == (9, 3, "")


def test_a_model_of_memories_alone_has_nothing_to_be_compared_with(table):
    others = ",".join(name for name in EXPERTS if name not in MEMORIES)
    options = {"label": "kind", "drop": ["day"]}
    plan = Plan(str(table), parameters={"without": others}, options=options, watch=True)
    assert finished(plan).results.without_memory is None


def test_a_model_that_goes_on_is_compared_with_models_that_start_fresh(table, tmp_path):
    """Also where the classes of the stream come in another order than the model met them."""
    options = {"label": "kind", "drop": ["day"]}
    model, inputs = saved(finished(Plan(str(table), options=options)), tmp_path / "model")
    labels = list(model.labels.names)
    header, *lines = table.read_text().splitlines(keepends=True)
    rows = sorted(lines[:100], key=lambda line: line.split(",")[-1] == f"{labels[0]}\n")
    table.write_text(header + "".join(rows))
    plan = Plan(str(table), options={**options, "inputs": inputs}, watch=True, delay=2)
    run = finished(plan, model)
    assert run.results.classes == labels
    fresh = finished(plan)
    assert fresh.results.classes == labels[::-1]
    for results, other in zip(
        [*run.results.others, run.results.without_memory],
        [*fresh.results.others, fresh.results.without_memory],
        strict=True,
    ):
        assert results.cumulative == other.cumulative
        assert results.windows == other.windows


def test_every_learner_is_made_once(table, monkeypatch):
    made = []

    def noted(kind):
        begin = kind.__init__

        def init(self, *arguments):
            made.append(kind.__name__)
            begin(self, *arguments)

        monkeypatch.setattr(kind, "__init__", init)

    for kind in (MooeLearner, NoChange, Majority):
        noted(kind)
    finished(Plan(str(table), options={"label": "kind", "drop": ["day"]}, watch=True))
    assert sorted(made) == ["Majority", "MooeLearner", "MooeLearner", "NoChange"]


def test_what_has_no_memory_or_is_not_watched_runs_by_itself(table):
    options = {"label": "kind", "drop": ["day"]}
    assert finished(Plan(str(table), "mooe-paper", options=options)).results.without_memory is None
    assert (
        finished(Plan(str(table), "ogd", options=options, watch=True)).results.without_memory
        is None
    )
    assert (
        finished(Plan(str(table), "no-change", options=options, watch=True)).results.without_memory
        is None
    )


def test_a_saved_model_goes_on_with_its_classes_and_columns(table, tmp_path):
    options = {"label": "kind", "drop": ["day"]}
    whole = finished(Plan(str(table), options=options))
    first = finished(Plan(str(table), options={**options, "max_rows": 101}))
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join(lines[:1] + lines[102:]))
    model, inputs = saved(first, tmp_path / "first")
    rest = finished(Plan(str(table), options={**options, "inputs": inputs}), model)
    saved(rest, tmp_path / "rest")
    saved(whole, tmp_path / "whole")
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_model_is_not_resumed_on_another_task(table):
    model = finished(Plan(str(table), options={"label": "kind", "drop": ["day"]})).model
    plan = Plan(str(table), options={"label": "a", "inputs": {"b": "number"}})
    with pytest.raises(
        ValueError, match=r"table.csv must be a classification, .* got a regression"
    ):
        Run(plan, model)


def river_model(path, names):
    river = RiverClassifier()
    for i in range(40):
        river.learn_one({name: float((i + at) % 5) for at, name in enumerate(names)}, i % 2)
    river.save(path)
    return river


def test_a_model_that_goes_on_keeps_its_own_names_of_columns(tmp_path):
    names = [0, ("a", 1), "two"]
    river = river_model(tmp_path / "m", names)
    (tmp_path / "t.csv").write_text("y,two,0,\"('a', 1)\",new\n" + "0,2,0,1,9\n1,3,1,2,8\n")
    plan = Plan(str(tmp_path / "t.csv"), options={"label": "y"})
    run = Run(plan, load_model(tmp_path / "m"))
    run.go()
    run.save_model(tmp_path / "m2")
    again = RiverClassifier.load(tmp_path / "m2")
    assert again.model.columns == [*names, "new"]
    river.learn_one({0: 0.0, ("a", 1): 1.0, "two": 2.0, "new": 9.0}, 0)
    river.learn_one({0: 1.0, ("a", 1): 2.0, "two": 3.0, "new": 8.0}, 1)
    row = {0: 3.0, ("a", 1): 1.0}
    assert again.predict_proba_one(row) == river.predict_proba_one(row)


def test_names_that_are_one_text_are_refused_before_a_row_is_read(tmp_path):
    river_model(tmp_path / "m", [1, "1"])
    (tmp_path / "t.csv").write_text("y,1\n0,2\n")
    plan = Plan(str(tmp_path / "t.csv"), options={"label": "y"})
    with pytest.raises(ValueError, match=r"must differ as text, got 1 and '1'"):
        Run(plan, load_model(tmp_path / "m"))


@pytest.mark.parametrize("delay", [0, 3])
def test_a_wide_model_with_room_for_columns_takes_a_text_that_is_new(tmp_path, delay):
    names = [f"w{j}" for j in range(140)]
    river = river_model(tmp_path / "m", names)
    river.learn_one({**dict.fromkeys(names, 1.0), "c=a": 1.0}, 1)
    assert river.model.state.n_features > len(river.model.columns) + 1
    model = river.model
    SourceColumns("mooe", {**dict.fromkeys(names, "number"), "c": "text"}, "y").note(model)
    model.save(tmp_path / "m")
    rows = [f"{i % 2},{'aab'[i % 3]}," + ",".join(["0.5"] * 140) for i in range(9)]
    (tmp_path / "t.csv").write_text(f"y,c,{','.join(names)}\n" + "\n".join(rows) + "\n")
    inputs = SourceColumns.of(model).inputs
    options = {"label": "y", "inputs": inputs}
    run = Run(Plan(str(tmp_path / "t.csv"), options=options, delay=delay), model)
    run.go()
    run.save_model(tmp_path / "m2")
    assert load_model(tmp_path / "m2").columns == [*names, "c=a", "c=b"]


COLOURS = ["red", "blue", "green", "", "black", "white"]


@pytest.mark.parametrize("delay", [0, 30])
def test_a_run_over_texts_that_stopped_equals_one_that_never_did(tmp_path, delay):
    def line(i):
        colour = COLOURS[(i * 7 + i // 11) % (3 if i < 150 else 6)]
        town = ["Rome", "Oslo", "Bonn", "Kyiv"][i // 3 % 4]
        kind = (COLOURS.index(colour) + len(town) + i // 90) % 2
        return f"{i % 13},{colour},{town},{['no', 'yes'][kind]}"

    lines = [line(i) for i in range(400)]
    runs = {}
    for name, some in (("whole", lines), ("first", lines[:130]), ("second", lines[130:])):
        path = tmp_path / f"{name}.csv"
        path.write_text("size,colour,town,kind\n" + "\n".join(some) + "\n")
        resumed = None
        if name == "second":
            resumed, _ = saved(runs["first"], tmp_path / "model")
        runs[name] = finished(Plan(str(path), options={"label": "kind"}, delay=delay), resumed)
    for name in ("whole", "second"):
        runs[name].save_model(tmp_path / name)
    model = load_model(tmp_path / "whole")
    known = dict(zip(model.columns, model.groups, strict=True))
    assert known == {name: name.split("=")[0] if "=" in name else None for name in model.columns}
    assert len(known) == 10
    assert model.state.n_groups == 2
    if delay == 0:  # rows whose labels had not come are not learnt by who stops
        assert (tmp_path / "second").read_bytes() == (tmp_path / "whole").read_bytes()
