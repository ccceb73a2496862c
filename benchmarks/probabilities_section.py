"""How true probabilities are, as a section of the page."""

import digest
from ablation_section import MADE, REGIMES
from markdown_table import table

N_BINS, LONGEST = 15, 100_000  # bins of confidence; rows
REAL = (
    "Electricity",
    "Covertype",
    "ijcnn1",
    "cod-rna",
    "Weather",
    "GasSensor",
    "WESAD",
    "Powersupply",
    "Powersupply24",
    "Spam",
    "Spam_full",
)
STREAMS = (*REAL, "recurring", *REGIMES, "noisy pairs", "40 classes", *MADE)
MOST, FLOOR, GOAL = 1.01, 4.0, 2.0  # log-loss beside the best; calibration error in percent


def digest_of(name):
    """Return the digest, as of now, of a stream's run."""
    return digest.of("probabilities", name)


def digests(results):
    """Yield every stream, with its digest and what that is now."""
    for name in results["runs"]:
        yield name, results["digests"].get(name), digest_of(name)


def verdict(ratio, error):
    """Return whether floor and goal are reached, in a word."""
    if ratio > MOST or error > FLOOR:
        return "missed"
    return "goal" if error <= GOAL else "ok"


def rendered(results):
    """Return the section of the page."""
    rows = []
    for name in STREAMS:
        one = results["runs"].get(name)
        if one is None:
            continue
        learnt, before, best = (one[which] for which in ("learnt", "before", "best"))
        ratio, error = learnt["log_loss"] / best["log_loss"], 100 * learnt["error"]
        rows.append(
            [
                name,
                f"{one['rows']:,}",
                one["classes"],
                f"{learnt['log_loss']:.4f}",
                f"{before['log_loss']:.4f}",
                f"{best['log_loss']:.4f} ({best['sharpness']:.1f})",
                f"{ratio:.3f}",
                f"{error:.1f}",
                f"{100 * before['error']:.1f}",
                f"{100 * best['error']:.1f}",
                verdict(ratio, error),
            ]
        )
    head = ["stream", "rows", "classes", "log-loss", "softmax of 2", "best softmax", "ratio"]
    head += ["error", "of 2", "of the best", ""]
    return (
        "What was said before each label: log-loss in nats, and the calibration error in percent "
        f"({N_BINS} equal bins of the winner's probability). Beside the learnt probabilities the "
        "softmax of the mixture's scores, times 2 and times the best number in hindsight, which "
        f"nobody knows beforehand. Ok: at most {MOST} of its log-loss, and an error of at most "
        f"{FLOOR:g} %; goal: {GOAL:g} %. The first {LONGEST:,} rows of longer streams; the "
        f"first {len(REAL)} are real.\n\n" + table(head, rows)
    )
