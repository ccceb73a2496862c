"""Weather: does it rain today in Bellevue, Nebraska?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mooe.datasets.conversion import joined_lines, member
from mooe.datasets.home import Published
from mooe.datasets.published import published_stream
from mooe.streams.stream import Stream

NAMES = tuple(f"attr{number}" for number in range(1, 9))


def weather(**options: Any) -> Stream:
    """Return Weather: 18,159 days, 8 measurements, rain (1) or none (0).

    Source: NOAA, prepared by R. Elwell and R. Polikar. The address could not be tried when this
    was written.
    """
    return published_stream(WEATHER, **options)


def _weather_lines(archive: Path) -> Iterator[str]:
    """Yield NEweather_data.csv with the labels of NEweather_class.csv, where 1 is no rain."""
    numbers = {"1": "0", "2": "1"}
    labels = (numbers.get(line.strip(), line) for line in member(archive, "NEweather_class.csv"))
    return joined_lines(member(archive, "NEweather_data.csv"), labels, NAMES)


WEATHER = Published(
    "Weather",
    n_rows=18_159,
    n_features=8,
    n_classes=2,
    sha256="fe1bb97d226d7eb7c11c2f9ea544b74484204b767e9de2277f714b9a1fce80ed",
    files=(
        (
            "weather_data.zip",
            "http://users.rowan.edu/~polikar/research/NSE/weather_data.zip",
        ),
    ),
    convert=_weather_lines,
    page="http://users.rowan.edu/~polikar/research/nse/",
    citation=(
        "R. Elwell, R. Polikar: Incremental learning of concept drift in nonstationary "
        "environments. IEEE Transactions on Neural Networks 22, 2011. doi:10.1109/TNN.2011.2160459"
    ),
    licence="measurements of NOAA, public domain",
)
