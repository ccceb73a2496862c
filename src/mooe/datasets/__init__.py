"""Streams to learn from: by name, from any file, or made from a seed."""

from mooe.datasets.archive import Verified
from mooe.datasets.catalogue import Entry, describe, fetch, open_stream, verify
from mooe.datasets.drift import cod_rna_drift, ijcnn_drift, increasing_noise, noise
from mooe.datasets.generators import (
    agrawal,
    hyperplane,
    led,
    mixed,
    random_tree,
    rbf,
    sea,
    sine,
    stagger,
    waveform,
)
from mooe.datasets.series import TimeSeries, open_series, short_series
from mooe.datasets.sources import (
    cod_rna,
    covertype,
    electricity,
    email,
    gas_sensor,
    gas_sensor_10,
    ijcnn1,
    kitsune,
    powersupply,
    powersupply24,
    spam,
    spam_full,
    usenet1,
    weather,
    wesad,
)
from mooe.datasets.synthetic import abrupt, gradual, moving_gaussians, recurring
from mooe.streams.stream import Chunk, Stream, StreamError

__all__ = ["Chunk", "Entry", "Stream", "StreamError", "Verified"]
__all__ += ["TimeSeries", "describe", "fetch", "open_series", "open_stream", "short_series"]
__all__ += ["verify"]
__all__ += ["abrupt", "gradual", "moving_gaussians", "noise", "recurring"]
__all__ += ["agrawal", "hyperplane", "led", "mixed", "random_tree", "rbf"]
__all__ += ["sea", "sine", "stagger", "waveform"]
__all__ += ["cod_rna_drift", "ijcnn_drift", "increasing_noise"]
__all__ += ["email", "spam", "spam_full", "usenet1"]
__all__ += ["electricity", "powersupply", "powersupply24", "weather"]
__all__ += ["covertype", "gas_sensor", "gas_sensor_10", "kitsune", "wesad"]
__all__ += ["cod_rna", "ijcnn1"]
