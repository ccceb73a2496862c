"""A file per kind of expert: everything about it, from its arrays to its place in a model file.

In the order of the file:

`NAMES`, `NARROW_ONLY`, `CLASSES_ONLY`
    Its experts; those of them that need rich inputs and so leave where inputs are wide; those that
    have nothing to say in a regression.
Arrays and `open_arrays(s, c, block, at)`
    A NamedTuple of what it remembers, cut from the block of floats from a place on; returned with
    the place behind. Whole numbers are kept as floats.
Scratch and `open_scratch(s, c, block, at)`
    The same for what it need not remember. What `vote` left there of a row is there when that row
    is learnt. A kind without scratch leaves both out.
`start(m)`
    In place: as before the first row; all arrays are 0 when it is called.
`vote(...)`, `learn(...)`
    Compiled. A vote is a score in the unit of the targets; it is put into votes[output, place], is
    0 where the expert says nothing, and is clipped by the caller. `learn` is called once the row is
    counted in n_labelled.
`grow_classes(old, new)`, `grow_inputs(old, new, moved)`
    In place: what was learnt, moved into larger arrays.
`save(m)`, `check_shapes(c, tensors)`, `restore(m, tensors)`
    As named arrays of a model file, and back with every check that compiled code relies on.

Where a kind needs them it takes `c`, after growth the counters after it, or `s` and `c`; `linear`
is also told how many concepts the memory has, whose learners are lanes of its own.

`neighbours` are no expert of the mixture: they stand above it, and their `vote` moves its scores.
`forest_pool` has no vote: it puts a forest of before in the place of the forest.
Kinds that take more room the more they learn say how much: `room_for`, `rows_left`.

`s` are the settings and `c` the counters of `mooe.auto.layout`, m the arrays and w the scratch of
the kind. A setting of an expert's name says whether it takes part. `mooe.auto.roster` lists the
kinds and calls them.
"""
