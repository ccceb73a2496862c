"""Four tables as people have them, made from a seed: sales, fraud, a sensor log, flights.

    python tests/tables.py FOLDER        write all of them

Each goes from file to report in one command with no option beyond its label:
`mooe run FILE --label LABEL --report FOLDER`.
"""

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

SHOPS = ("Köln", "München", "Düsseldorf", "Nürnberg", "Zürich", "Graz", "Lübeck", "Görlitz")
GOODS = ("Jacke", "Hose", "Schuhe", "Mütze", "Gürtel", "Rucksack", "Zelt", "Kühlbox", "Schlüssel")
DISCOUNTS = ("0,0", "2,5", "5,0", "10,0")  # few values, and numbers all the same
COUNTRIES = (
    *("AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FI", "FR", "GB", "HU"),
    *("IE", "IT", "LU", "NL", "NO", "PL", "PT", "RO", "SE", "SK", "US"),
)
MERCHANTS = (
    *("books", "clothes", "food", "fuel", "games", "gifts"),
    *("hotels", "music", "phones", "rail", "shoes", "toys"),
)
CARRIERS = ("AF", "BA", "EI", "FR", "IB", "KL", "LH", "LX", "OS", "SK", "TP", "U2")
N_AIRPORTS = 100


def sales(n: int = 4_000, seed: int = 0) -> bytes:
    """Return a German export: cp1252, semicolons, decimal commas, days first, 'k.A.' and '-'.

    The label is Retoure: cheap goods come back in winter, late ones in summer, and so every year.
    """
    rng = np.random.default_rng((seed, 1))
    rows = []
    for i, moment in enumerate(_moments(rng, datetime(2022, 1, 3, 9, 0), n, days=1_090)):
        shop, good = rng.integers(len(SHOPS)), rng.integers(len(GOODS))
        amount, days = int(rng.integers(1, 40)), float(rng.gamma(3.0, 1.2))
        price = float(np.exp(rng.normal(2.5 + 0.25 * good, 0.4)))
        discount = DISCOUNTS[rng.integers(len(DISCOUNTS))]
        is_winter = moment.month in (10, 11, 12, 1, 2, 3)
        pull = 2.5 * (good < 4) - 0.8 * np.log(price) if is_winter else 0.9 * days - 2.0
        odds = pull + 0.15 * float(discount.replace(",", ".")) - 0.6 + (shop == 2)
        rows.append(
            (
                f"B-{100_000 + 7 * i}",
                f"{moment:%d.%m.%Y %H:%M}",
                SHOPS[shop],
                GOODS[good],
                "k.A." if rng.random() < 0.01 else amount,
                _german(price),
                discount,
                _german(price * amount),
                "-" if rng.random() < 0.02 else _german(days, 1),
                "ja" if rng.random() < _chance(odds) else "nein",
            )
        )
    names = "Bestellnr Datum Filiale Artikel Menge Stückpreis Rabatt Umsatz Lieferzeit Retoure"
    return _text(names.split(), rows, ";", "\r\n").encode("cp1252")


def fraud(n: int = 30_000, seed: int = 0) -> bytes:
    """Return card payments of which one in two hundred is a fraud; two ways of it take turns.

    Most are at night. Stolen cards buy dear things far from home; stolen numbers are tried with
    small sums, many within an hour, on the web. A third of the frauds looks like any payment.
    """
    rng = np.random.default_rng((seed, 2))
    rows = []
    for i, moment in enumerate(_moments(rng, datetime(2024, 3, 1), n, days=120)):
        chance = 0.011 if moment.hour < 6 else 0.003
        is_fraud, is_tried = rng.random() < chance, i // 5_000 % 2 == 1
        is_seen = is_fraud and rng.random() < 0.67
        amount, distance = np.exp(rng.normal(3.2, 1.0)), np.exp(rng.normal(2.0, 1.3))
        count, country = rng.poisson(0.4), COUNTRIES[int(rng.beta(1.0, 4.0) * len(COUNTRIES))]
        channel = ("shop", "web", "app")[rng.choice(3, p=(0.5, 0.3, 0.2))]
        if is_seen and is_tried:
            amount, count, channel = np.exp(rng.normal(0.8, 0.5)), 2 + rng.poisson(4.0), "web"
        elif is_seen:
            amount, distance = np.exp(rng.normal(5.6, 0.7)), np.exp(rng.normal(5.5, 1.0))
        rows.append(
            (
                f"{moment:%Y-%m-%d %H:%M:%S}",
                f"{amount:.2f}",
                f"{distance:.1f}",
                count,
                moment.hour,
                f"{rng.gamma(2.0, 400.0):.0f}",
                country,
                channel,
                MERCHANTS[rng.integers(len(MERCHANTS))],
                int(is_fraud),
            )
        )
    names = "time amount distance_km last_hour hour card_days country channel merchant fraud"
    return _text(names.split(), rows).encode()


def sensors(n: int = 6_000, seed: int = 0) -> bytes:
    """Return a log of a pump, to predict its power; 24 readings are 9999, some times are odd.

    The pump has two modes of work that take turns. Of the times a dozen come twice, a dozen too
    late, and three cannot be read.
    """
    rng = np.random.default_rng((seed, 3))
    start, valve = datetime(2023, 6, 1), 0.5
    odd = rng.choice(np.arange(1_000, n), 27, replace=False).tolist()
    broken = set(rng.choice(n, 24, replace=False).tolist())
    rows = []
    for i in range(n):
        moment = start + timedelta(minutes=10 * i)
        if i in odd[:12]:
            moment -= timedelta(minutes=10)
        elif i in odd[12:24]:
            moment -= timedelta(hours=7)
        time = "ERR" if i in odd[24:] else f"{moment:%Y-%m-%dT%H:%M:%S}"
        valve = float(np.clip(valve + rng.normal(0.0, 0.05), 0.05, 1.0))
        outside = 15.0 + 8.0 * np.sin(2.0 * np.pi * i / 144.0) + rng.normal(0.0, 0.8)
        pressure = 2.0 + 1.5 * valve + rng.normal(0.0, 0.05)
        is_eco = i // 1_000 % 2 == 1
        power = 4.0 * valve + 0.6 * pressure if is_eco else 9.0 * valve + 0.2 * outside
        power += rng.normal(0.0, 0.15)
        rows.append(
            (
                time,
                "N/A" if rng.random() < 0.005 else f"{outside:.2f}",
                f"{pressure:.3f}",
                f"{valve:.3f}",
                ("ok", "warm", "ok", "ok")[i // 250 % 4],
                "9999" if i in broken else f"{power:.3f}",
            )
        )
    return _text(["time", "outside", "pressure", "valve", "status", "power"], rows, "\t").encode(
        "utf-16"
    )


def flights(n: int = 12_000, seed: int = 0) -> bytes:
    """Return flights between 100 airports, late or not by airport, carrier, hour and season.

    In winter other airports are slow than in summer.
    """
    rng = np.random.default_rng((seed, 4))
    letters = [chr(65 + k) for k in range(26)]
    airports = sorted({"".join(rng.choice(letters, 3)) for _ in range(2 * N_AIRPORTS)})
    airports = rng.permutation(airports)[:N_AIRPORTS].tolist()
    share = 1.0 / np.arange(3.0, 3.0 + N_AIRPORTS)
    share /= share.sum()
    slow = rng.normal(0.0, 1.3, (2, N_AIRPORTS))  # in winter, in summer
    carrier_pull = rng.normal(0.0, 0.7, len(CARRIERS))
    rows = []
    for moment in _moments(rng, datetime(2022, 1, 1), n, days=729):
        origin, dest = rng.choice(N_AIRPORTS, 2, replace=False, p=share)
        carrier = rng.integers(len(CARRIERS))
        hour = int(rng.integers(5, 23))
        season = int(4 <= moment.month <= 9)
        odds = slow[season, origin] + 0.5 * slow[season, dest] + carrier_pull[carrier]
        odds += 0.12 * (hour - 14) - 0.7
        rows.append(
            (
                f"{moment:%Y-%m-%d}",
                CARRIERS[carrier],
                f"{CARRIERS[carrier]}{100 + (int(origin) * 7 + int(dest)) % 400}",
                airports[origin],
                airports[dest],
                f"D-A{letters[rng.integers(26)]}{letters[rng.integers(26)]}",
                f"{hour:02}{int(rng.integers(60)):02}",
                int(200 + 37 * abs(int(origin) - int(dest)) % 2_900),
                int(rng.random() < _chance(odds)),
            )
        )
    names = "date carrier flight origin dest tail departure distance late"
    return _text(names.split(), rows).encode()


# The tables by file name, each with the column that is to be predicted.
TABLES = {
    "sales.csv": (sales, "Retoure"),
    "fraud.csv": (fraud, "fraud"),
    "sensors.csv": (sensors, "power"),
    "flights.csv": (flights, "late"),
}


def write(folder: Path, name: str, seed: int = 0) -> Path:
    """Write a table into a folder; return where it lies."""
    path = folder / name
    path.write_bytes(TABLES[name][0](seed=seed))
    return path


def _moments(rng: np.random.Generator, start: datetime, n: int, days: float) -> Iterable[datetime]:
    """Return n moments in order, to the second, over so many days."""
    seconds = np.sort(rng.uniform(0.0, days * 86_400.0, n))
    return [start + timedelta(seconds=int(second)) for second in seconds]


def _german(value: float, digits: int = 2) -> str:
    """Return a number as 1.234,50."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def _chance(odds: float) -> float:
    return float(1.0 / (1.0 + np.exp(-odds)))


def _text(
    names: Sequence[str], rows: Iterable[Sequence[object]], sign: str = ",", end: str = "\n"
) -> str:
    """Return a table as text; no cell needs quotes."""
    lines = [sign.join(map(str, row)) for row in [names, *rows]]
    return end.join(lines) + end


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for file_name in TABLES:
        print(write(target, file_name))
