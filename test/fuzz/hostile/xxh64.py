"""XXH64, by its specification: a mutant of a file whose hash a manifest or a
key has is read only if the hash is made anew."""

import struct

P1, P2, P3, P4, P5 = (11400714785074694791, 14029467366897019727,
                      1609587929392839161, 9650029242287828579,
                      2870177450012600261)
MASK = (1 << 64) - 1


def _rotate(value, bits):
    return (value << bits | value >> 64 - bits) & MASK


def _round(lane, word):
    return _rotate((lane + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data, seed=0):
    size, at = len(data), 0
    if size >= 32:
        lanes = [(seed + P1 + P2) & MASK, (seed + P2) & MASK, seed,
                 (seed - P1) & MASK]
        while at + 32 <= size:
            words = struct.unpack_from("<4Q", data, at)
            lanes = [_round(lane, word) for lane, word in zip(lanes, words)]
            at += 32
        total = sum(_rotate(lane, bits)
                    for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            total = ((total ^ _round(0, lane)) * P1 + P4) & MASK
    else:
        total = (seed + P5) & MASK
    total = (total + size) & MASK
    while at + 8 <= size:
        word, = struct.unpack_from("<Q", data, at)
        total = (_rotate(total ^ _round(0, word), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= size:
        word, = struct.unpack_from("<I", data, at)
        total = (_rotate(total ^ word * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        total = _rotate(total ^ byte * P5 & MASK, 11) * P1 & MASK
    total = (total ^ total >> 33) * P2 & MASK
    total = (total ^ total >> 29) * P3 & MASK
    return total ^ total >> 32
