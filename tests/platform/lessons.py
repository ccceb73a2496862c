"""What a model must have learnt, told by hand: for tests that compare a platform with it."""

import json
import math
import sqlite3
import struct
from contextlib import closing

from mooe.auto.params import AutoParams
from mooe.model import Model
from mooe.named_rows import NamedRows


def taught(rows, seed=0):
    """Return the bytes of a model that learns (x, label, known) one by one, without a platform."""
    model = Model(AutoParams(seed=seed))
    named = None
    for x, label, known in rows:
        x = {name: float(value) for name, value in x.items()}
        if named is None:
            model.columns = [*x]
            named = NamedRows(model)
        number = model.labels.numbers.get(label)
        if isinstance(known, str):
            known = model.labels.numbers.get(known, -math.inf)
        if number is None:
            named.learn_new(x, len(model.labels), 1.0, known, label)
        else:
            named.learn(x, number, 1.0, known)
    return model.to_bytes()


LEARNT = """
SELECT f.seq, a.listed, p.x, f.label, b.listed, p.known, p.version FROM feedback f
JOIN prediction p ON p.n = f.n JOIN names a ON a.k = p.names LEFT JOIN names b ON b.k = p.labels
ORDER BY f.seq
"""


def stored_lessons(path):
    """Return (x, label, known) of all feedback of a store with one model, read by hand."""
    lessons = []
    with closing(sqlite3.connect(path)) as store:
        for seq, names, x, label, classes, known, version in store.execute(LEARNT):
            values = struct.unpack(f"={len(x) // 8}d", x)
            before = -math.inf if known is None else json.loads(classes)[int(known)]
            if version is None or version == seq - 1:  # all labels were known
                before = math.nan
            x = dict(zip(json.loads(names), values, strict=True))
            lessons.append((x, json.loads(label), before))
    return lessons


def labels_by_id(path):
    """Return the labels that were learnt of each id that a client gave, read by hand."""
    found = {}
    sql = "SELECT p.id, f.label FROM feedback f JOIN prediction p ON p.n = f.n WHERE p.id NOTNULL"
    with closing(sqlite3.connect(path)) as store:
        for name, label in store.execute(sql):
            found.setdefault(name, []).append(json.loads(label))
    return found
