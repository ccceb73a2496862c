"""How far the cells of an experiment are."""

import io

from rich.console import Console

from mooe_paper.progress import CellProgress


def cells_watched(costs, is_terminal=False, show=True, n_before=0):
    console = Console(file=io.StringIO(), width=80, force_terminal=is_terminal)
    with CellProgress(n_before, costs, 2, show, console) as watcher:
        for number, cost in enumerate(costs):
            watcher.see(f"cell {number}", cost)
    return console.file.getvalue()


def test_cells_are_told_in_a_few_lines_where_there_is_no_terminal():
    lines = cells_watched([1.0] * 1000, n_before=7).splitlines()
    assert lines[0] == "1,000 cells in 2 processes, 7 finished before; about 8 min"
    assert 15 < len(lines) < 30
    assert lines[-1].startswith("1,000 of 1,000 cells, 0 s left: cell 999")


def test_before_a_cell_is_done_the_time_left_is_what_all_are_said_to_cost():
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    with CellProgress(0, [100.0] * 12, 4, console=console) as watcher:
        assert watcher.bar.tasks[0].description == "0 of 12 cells, about 5 min left"
    assert CellProgress(0, [100.0, 5.0], 8).left(0.0) == "100 s", "no quicker than the longest"


def test_cells_move_a_bar_on_a_terminal():
    text = cells_watched([1.0, 3.0], is_terminal=True)
    assert "2 of 2 cells" in text
    assert "━" in text


def test_no_cells_and_quiet_show_nothing():
    assert cells_watched([]) == ""
    assert cells_watched([1.0], show=False) == ""


def test_the_time_left_is_what_the_rest_costs():
    watcher = CellProgress(0, [1.0, 3.0], 1, console=Console(file=io.StringIO()))
    watcher.began -= 100.0
    assert watcher.left(0.25) == "5 min"
    assert watcher.left(0.5) == "100 s"
