"""Kernels as ONNX models and in Triton. Their packages may be those that
scripts/test unpacks."""

import pathlib
import sys

DOWNLOADS = pathlib.Path(__file__).resolve().parents[2] / ".cache/pypi"
sys.path += [str(DOWNLOADS / package) for package in
             ("onnx", "ml_dtypes", "protobuf", "typing_extensions")]


def all_cases():
    """Of all lists."""
    from . import (attention, convolution, families, matrix, more,
                   relatives)
    return (families.known_cases() + relatives.related_cases() +
            more.more_cases() + matrix.matrix_cases() +
            attention.attention_cases() + convolution.convolution_cases())


def named(prefixes):
    """Those whose names begin with one of the prefixes."""
    return [case for case in all_cases()
            if case.name.startswith(tuple(prefixes))]
