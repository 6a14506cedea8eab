"""A random graph from a seed."""

import random

import mismatch
import oracle
import registry
from case import case_of
from graph import Graph, Reject

import ops_contract  # noqa: F401
import ops_control  # noqa: F401
import ops_elementwise  # noqa: F401
import ops_index  # noqa: F401
import ops_movement  # noqa: F401
import ops_norm  # noqa: F401
import ops_quant  # noqa: F401
import ops_recurrent  # noqa: F401
import ops_reduce  # noqa: F401
import ops_resize  # noqa: F401
import ops_shape  # noqa: F401
import ops_shared  # noqa: F401
import ops_window  # noqa: F401

OPSETS = {9: 2, 10: 2, 11: 4, 12: 4, 13: 16, 14: 4, 15: 8, 16: 6, 17: 16,
          18: 16, 19: 6, 20: 6, 21: 10, 22: 6, 23: 5, 24: 3, 25: 2, 26: 1}


def assignments(generator, empty=False):
    """Symbols and their sizes at each of the assignments; most have one of 0
    with `empty`."""
    count = generator.choice([2, 3, 3])
    symbols = {}
    for name in generator.sample("NMKTHW", generator.choice([1, 1, 2, 2, 3])):
        sizes = generator.sample(range(2, 9), count)
        if generator.random() < .6:
            sizes[generator.randrange(count)] = 1
        if generator.random() < (.7 if empty else .12):
            sizes[generator.randrange(1, count)] = 0
        if len(set(sizes)) > 1:
            symbols[name] = tuple(sizes)
    return symbols, count


class Statistics:
    """What the oracle did not take, by operator: a generator that writes
    illegal nodes shows here."""

    def __init__(self):
        self.tried, self.added, self.reasons = {}, {}, {}

    def count(self, table, key):
        table[key] = table.get(key, 0) + 1


def generate(seed, symbolic=0.5, only=None, statistics=None, size=None,
             traits=()):
    """The graph of a seed. Traits: "large", sizes that several programs of a
    kernel share; "shared", values that are read at several indices; "extreme",
    attributes near the ends of 64 bits; "empty", many sizes of 0."""
    generator = random.Random(seed)
    opset = generator.choices(list(OPSETS), list(OPSETS.values()))[0]
    symbols, count = ({}, 1)
    if generator.random() < symbolic:
        symbols, count = assignments(generator, "empty" in traits)
    graph = Graph(generator, opset, symbols, count)
    graph.extreme = "extreme" in traits
    if "large" in traits:
        graph.large = [generator.randint(9, 80), generator.randint(60, 300)]
    if "empty" in traits:
        graph.empty_share = .08
    graph.by_run = generator.random() < .05
    graph.own_symbols = bool(symbols) and generator.random() < .3
    table = [entry for entry in registry.OPS.values() if entry.since <= opset
             and (not only or entry.name in only)]
    if not table:
        return generate(seed + 2**32, symbolic, only, statistics, size, traits)
    wanted = size or generator.choice([1, 2, 3, 3, 4, 5, 6, 7, 8, 10])
    for _ in range(wanted * 4):
        entry = generator.choices(table, [e.weight for e in table])[0]
        add(graph, entry, statistics)
        if "shared" in traits and graph.chance(.4):
            add(graph, registry.OPS["SharedValues"], statistics)
        if len(graph.nodes) >= wanted:
            break
    return graph


def add(graph, entry, statistics):
    mark = graph.mark()
    if statistics:
        statistics.count(statistics.tried, entry.name)
    try:
        entry.add(graph, entry.name)
        if statistics:
            statistics.count(statistics.added, entry.name)
    except (Reject, oracle.Rejected) as error:
        graph.back(mark)
        if statistics and isinstance(error, oracle.Rejected):
            text = str(error)[:160]
            statistics.count(statistics.reasons, (entry.name, text))


def outputs_of(graph):
    """Results that no node reads, and some others."""
    read = {name for node in graph.nodes
            for name in node.inputs + node.captures}
    made = [name for node in graph.nodes for name in node.outputs if name]
    found = [name for name in made
             if name not in read or graph.chance(.12)]
    if found and graph.chance(.03):
        # A model may return its inputs.
        found += [t.name for t in graph.tensors.values()
                  if t.kind != "node" and graph.chance(.3)]
    return found


def case_from_seed(seed, symbolic=0.5, only=None, statistics=None,
                   traits=()):
    """None if the seed gives no graph; else its case, and the same with
    constants for inputs where it is static."""
    graph = generate(seed, symbolic, only, statistics, traits=traits)
    outputs = outputs_of(graph)
    if not outputs:
        return []
    cases = [case_of(graph, outputs)]
    if graph.own_symbols:
        cases += [other for _ in range(2)
                  if (other := mismatch.other_sizes(graph, cases[0]))]
    if graph.count == 1 and graph.chance(.4):
        cases.append(case_of(graph, outputs, constants=True))
    return cases
