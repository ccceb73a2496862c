"""What is sent and received, as types: checked by msgspec, and told by the OpenAPI document."""

from typing import Any

import msgspec

from mooe.explanation import Concept, Expert, Explanation
from mooe.platform import Answer, Receipt, Settings
from mooe.platform.comparison import Score
from mooe.platform.store import Prediction, Snapshot

Label = str | bool | int | float
X = dict[str, float | bool | str | None] | list[float | bool | None]


class PredictBody(msgspec.Struct, forbid_unknown_fields=True):
    """A row to be answered."""

    x: X
    id: str | None = None


class FeedbackBody(msgspec.Struct, forbid_unknown_fields=True):
    """The label of a prediction."""

    id: str
    label: Label
    correction: bool = False


class LearnBody(msgspec.Struct, forbid_unknown_fields=True):
    """A labelled row that nobody has asked about; at: when it came, in seconds since 1970."""

    x: X
    label: Label
    id: str | None = None
    at: float | None = None


class SettingsBody(msgspec.Struct, forbid_unknown_fields=True):
    """How predictions of a model are treated, see docs/platform.md."""

    expire_after: float | None = None
    default_label: Label | None = None
    learns_late: bool = False
    keep_inputs: float | None = None

    def settings(self) -> Settings:
        """Return the platform's."""
        return Settings(**msgspec.structs.asdict(self))


class ModelBody(msgspec.Struct, forbid_unknown_fields=True):
    """A model to be made; {} is the default classifier."""

    task: str = "classification"
    params: dict[str, Any] = {}
    settings: SettingsBody = msgspec.field(default_factory=SettingsBody)
    shadow_of: str | None = None
    from_start: bool = False


class ExplainBody(msgspec.Struct, forbid_unknown_fields=True):
    """A prediction by its id, or a row, to be explained."""

    id: str | None = None
    x: X | None = None


class RestoreBody(msgspec.Struct, forbid_unknown_fields=True):
    """Where to go back to: so many labels learnt, or before a time in seconds since 1970."""

    seq: int | None = None
    before: float | None = None


class ExpireBody(msgspec.Struct, forbid_unknown_fields=True):
    """Predictions made before this time, in seconds since 1970, are waited for no longer."""

    before: float


class TitleBody(msgspec.Struct, forbid_unknown_fields=True):
    """What a regime is called; "" takes the name away."""

    title: str


class AnswerBody(msgspec.Struct):
    """An answer; prediction is null before the first label."""

    id: str
    prediction: Label | None
    probabilities: list[tuple[Label, float]]
    version: int

    @classmethod
    def of(cls, answer: Answer) -> "AnswerBody":
        return cls(*answer)


class ReceiptBody(msgspec.Struct, omit_defaults=True):
    """What became of a label."""

    id: str
    result: str
    duplicate: bool
    seq: int | None
    message: str = ""

    @classmethod
    def of(cls, receipt: Receipt) -> "ReceiptBody":
        name, result, seq, message, _ = receipt
        return cls(name, result.value, receipt.duplicate, seq, message)


class ModelFacts(msgspec.Struct):
    """What there is to know of a model."""

    name: str
    task: str
    mode: str
    params: dict[str, Any]
    settings: dict[str, Any]
    created: float
    shadow_of: str | None
    shadows: list[str]
    feedback: int
    pending: int
    problem: str


class ExpertBody(msgspec.Struct):
    """An expert and its weight."""

    name: str | None
    kind: str
    weight: float
    interval: int | None = None

    @classmethod
    def of(cls, expert: Expert) -> "ExpertBody":
        return cls(expert.name, expert.kind, expert.weight, expert.interval)


class RegimeBody(msgspec.Struct):
    """A regime: visits as rows, and as dates where they are known.

    Of the one that is here: since when, and after how many rows it was recognised, null where that
    cannot be told.
    """

    number: int
    title: str
    in_charge: bool
    samples: int
    visits: list[tuple[int, int]]
    dates: list[tuple[str, str]]
    since: str | None
    description: list[str]
    recognised_after: int | None = None

    @classmethod
    def of(cls, concept: Concept, recognised_after: int | None = None) -> "RegimeBody":
        since = concept.dates[-1][0] if concept.in_charge and concept.dates else None
        return cls(
            *(concept.name, concept.title, concept.in_charge, concept.samples),
            *(list(concept.visits), list(concept.dates), since, concept.description()),
            recognised_after,
        )


class SnapshotBody(msgspec.Struct):
    """A snapshot: after how many labels, when, in seconds since 1970."""

    seq: int
    at: float
    kind: str
    size: int
    sha256: str

    @classmethod
    def of(cls, snapshot: Snapshot) -> "SnapshotBody":
        return cls(
            *(snapshot.seq, snapshot.at / 1e6, snapshot.kind, snapshot.size, snapshot.sha256)
        )


class PredictionBody(msgspec.Struct):
    """All that is stored of a prediction; x is null where it was deleted."""

    id: str
    x: X | None
    at: float
    status: str
    version: int | None
    label: Label | None
    seq: int | None

    @classmethod
    def of(cls, prediction: Prediction) -> "PredictionBody":
        x: Any = prediction.x
        return cls(
            prediction.public_id,
            x,
            prediction.at / 1e6,
            prediction.status.name.lower(),
            prediction.version,
            prediction.label,
            prediction.seq,
        )


class VoteBody(msgspec.Struct):
    """What one expert says, and how much it is heard."""

    expert: str
    weight: float
    vote: Label | None


class EffectBody(msgspec.Struct):
    """How much an input mattered."""

    column: str
    value: float | str
    effect: float


class ExplanationBody(msgspec.Struct):
    """Why a row is answered so."""

    sentence: str
    answer: Label | None
    probabilities: list[tuple[Label, float]]
    regime: int | None
    inputs: list[EffectBody]
    votes: list[VoteBody]

    @classmethod
    def of(cls, explanation: Explanation) -> "ExplanationBody":
        inputs = [EffectBody(str(i.column), i.value, i.effect) for i in explanation.inputs]
        votes = [
            VoteBody(each.expert.called, each.expert.weight, each.vote)
            for each in explanation.votes
        ]
        return cls(
            *(explanation.sentence, explanation.answer, list(explanation.probabilities.items())),
            *(explanation.regime, inputs, votes),
        )


class ScoreBody(msgspec.Struct):
    """How well the latest labelled predictions were answered."""

    n: int
    accuracy: float | None = None
    log_loss: float | None = None
    mae: float | None = None

    @classmethod
    def of(cls, score: Score) -> "ScoreBody":
        return cls(score.n, score.accuracy, score.log_loss, score.mae)


class CountBody(msgspec.Struct):
    """How many."""

    n: int


class StatusBody(msgspec.Struct):
    """Whether the server is there."""

    status: str


class Problem(msgspec.Struct):
    """What went wrong: RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str = ""
