"""Streams to learn from: by name, from any file, or made from a seed."""

from mooe.datasets.catalogue import Entry, describe, fetch, open_stream, verify
from mooe.datasets.drift import cod_rna_drift, ijcnn_drift, increasing_noise, noise
from mooe.datasets.home import Verified
from mooe.datasets.libsvm_collection import cod_rna, ijcnn1
from mooe.datasets.noaa import weather
from mooe.datasets.power import electricity, powersupply, powersupply24
from mooe.datasets.synthetic import abrupt, gradual, moving_gaussians, recurring
from mooe.datasets.texts import email, spam, spam_full, usenet1
from mooe.datasets.uci import covertype, gas_sensor, gas_sensor_10, kitsune, wesad
from mooe.streams.stream import Chunk, Stream, StreamError

__all__ = [
    "Chunk",
    "Entry",
    "Stream",
    "StreamError",
    "Verified",
    "abrupt",
    "cod_rna",
    "cod_rna_drift",
    "covertype",
    "describe",
    "electricity",
    "email",
    "fetch",
    "gas_sensor",
    "gas_sensor_10",
    "gradual",
    "ijcnn1",
    "ijcnn_drift",
    "increasing_noise",
    "kitsune",
    "moving_gaussians",
    "noise",
    "open_stream",
    "powersupply",
    "powersupply24",
    "recurring",
    "spam",
    "spam_full",
    "usenet1",
    "verify",
    "weather",
    "wesad",
]
