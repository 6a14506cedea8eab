"""Nodes in functions of the model, as PyTorch's exporter writes them."""

from onnx import helper

DOMAIN = "local"


def wrap(model, index):
    """Puts one node (by its index, modulo their number) into a function. Its
    operands that are absent are absent operands of the call, which the body
    hands on."""
    nodes = [node for node in model.graph.node if node.op_type != "Constant"
             and not node.domain and not any(a.HasField("g")
                                             for a in node.attribute)]
    if not nodes:
        return
    node = nodes[index % len(nodes)]
    name = f"F{len(model.functions)}"
    formal = [f"i{k}" for k in range(len(node.input) + 1)]
    results = [f"o{k}" for k in range(len(node.output))]
    body = helper.make_node(node.op_type, formal[:-1], [
        result if given else "" for result, given in zip(results, node.output)])
    body.attribute.extend(node.attribute)
    shown = [result for result, given in zip(results, node.output) if given]
    function = helper.make_function(
        DOMAIN, name, formal, shown, [body],
        [helper.make_opsetid("", model.opset_import[0].version)])
    if not model.functions:
        model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    model.functions.append(function)
    call = helper.make_node(name, list(node.input), [
        output for output in node.output if output],
        name=node.name, domain=DOMAIN)
    node.CopyFrom(call)
