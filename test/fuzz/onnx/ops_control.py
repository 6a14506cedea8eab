"""Control flow with bodies: If, Loop and Scan."""

import numpy as np
from onnx import TensorProto, helper

from graph import Reject
from oracle import element_type
from registry import op
from values import BOOL, F32, I64


def info(name, dtype, rank=None):
    return helper.make_tensor_value_info(
        name, element_type(dtype), None if rank is None else [None] * rank)


UNARY = ["Neg", "Abs", "Relu", "Sigmoid", "Tanh", "Identity"]
BINARY = ["Add", "Sub", "Mul", "Max"]


def condition(g):
    """A scalar of one value at each assignment: known, or an input."""
    if g.chance(.5):
        return g.const(np.array(g.chance(.5)))
    return g.leaf(BOOL, [], constant=False)


@op("If", since=11, weight=.7)
def branches(g, name):
    x = g.pick([F32])
    y = g.pick([F32], dims=x.dims)
    graphs = []
    for side in ("then", "else"):
        inner = f"{side}_{g.names}"
        nodes = [helper.make_node(g.random.choice(UNARY), [x.name],
                                  [inner + "_a"])]
        nodes.append(helper.make_node(g.random.choice(BINARY),
                                      [inner + "_a", y.name], [inner + "_b"]))
        graphs.append(helper.make_graph(nodes, side, [], [
            info(inner + "_b", F32)]))
    g.node(name, [condition(g)], kind="elementwise", captures=[x, y],
           then_branch=graphs[0], else_branch=graphs[1])


@op("Loop", since=11, weight=.7)
def loop(g, name):
    x, y = g.pick([F32], domain=(-5, 5)), None
    y = g.broadcastable(x, domain=(-2, 2), onto=True)
    p = f"l{g.names}_"
    ways = ["Add", "Sub", "Max", "Min"]
    nodes = [helper.make_node("Identity", [p + "c"], [p + "d"]),
             helper.make_node(g.random.choice(ways), [p + "s", y.name],
                              [p + "t"])]
    outputs = [info(p + "d", BOOL), info(p + "t", F32)]
    if g.chance(.5):
        nodes.append(helper.make_node(g.random.choice(UNARY), [p + "t"],
                                      [p + "u"]))
        outputs.append(info(p + "u", F32))
    if g.chance(.3):
        nodes.append(helper.make_node("Cast", [p + "i"], [p + "f"],
                                      to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Mul", [p + "f", p + "t"], [p + "v"]))
        outputs.append(info(p + "v", F32))
    body = helper.make_graph(nodes, "body", [
        info(p + "i", I64, 0), info(p + "c", BOOL, 0),
        info(p + "s", F32, x.rank)], outputs)
    count = g.ints(g.random.randint(1, 4))
    go = g.const(np.array(True)) if g.chance(.5) else None
    g.node(name, [count, go, x], len(outputs) - 1, kind="elementwise",
           captures=[y], body=body)


@op("Scan", since=11, weight=.7)
def scan(g, name):
    if g.own_symbols:
        raise Reject("ONNX Runtime checks the state's shape, once")
    sequence = g.pick([F32], rank=range(1, 4), domain=(-5, 5))
    if min(sequence.dims[0]) < 1:
        raise Reject("nothing to scan")
    state = g.leaf(F32, sequence.dims[1:], (-2, 2))
    p = f"s{g.names}_"
    nodes = [helper.make_node(g.random.choice(["Add", "Sub", "Max"]),
                              [p + "s", p + "x"], [p + "t"]),
             helper.make_node(g.random.choice(UNARY), [p + "t"], [p + "u"])]
    rank = sequence.rank - 1
    body = helper.make_graph(nodes, "body", [
        info(p + "s", F32, rank), info(p + "x", F32, rank)],
        [info(p + "t", F32), info(p + "u", F32)])
    more = {}
    if g.chance(.3):
        more["scan_input_directions"] = [1]
    if g.chance(.3):
        more["scan_output_directions"] = [1]
    g.node(name, [state, sequence], 2, kind="elementwise", body=body,
           num_scan_inputs=1, **more)
