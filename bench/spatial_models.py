"""The models of bench/spatial.py, with random weights: each a function that takes the
module onnx and returns a model and its inputs by name."""

import math

import numpy as np


class Graph:
    """Nodes and weights of a model of f32; a value is its name."""

    def __init__(self, onnx):
        self.onnx = onnx
        self.generator = np.random.default_rng(0)
        self.nodes, self.weights, self.inputs = [], [], {}

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.generator.standard_normal(shape).astype(
            np.float32)
        return name

    def constant(self, values):
        name = f"c{len(self.weights)}"
        self.weights.append(
            self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def random(self, *shape, scale):
        values = self.generator.standard_normal(shape) * scale
        return self.constant(values.astype(np.float32))

    def node(self, op, *operands, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(
            op, list(operands), [name], name=f"{op}_{len(self.nodes)}",
            **attributes))
        return name

    def model(self, output):
        helper, kind = self.onnx.helper, self.onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            self.nodes, "model",
            [helper.make_tensor_value_info(name, kind, values.shape)
             for name, values in self.inputs.items()],
            [helper.make_tensor_value_info(output, kind, None)], self.weights)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 20)],
            ir_version=10), self.inputs

    def linear(self, x, inner, outer, bias=True):
        product = self.node("MatMul", x, self.random(
            inner, outer, scale=inner ** -0.5))
        return self.node("Add", product, self.random(
            outer, scale=0.1)) if bias else product


def swiglu(tokens, width, hidden):
    """A feed-forward layer: (silu(x G) * x U) D."""
    def make(onnx):
        graph = Graph(onnx)
        x = graph.input(tokens, width)
        gate = graph.linear(x, width, hidden, bias=False)
        up = graph.linear(x, width, hidden, bias=False)
        silu = graph.node("Mul", gate, graph.node("Sigmoid", gate))
        return graph.model(graph.linear(graph.node("Mul", silu, up), hidden,
                                        width, bias=False))
    return make


def attend(graph, x, batch, tokens, width, heads):
    """Attention of each token to all, with its four products by weights."""
    size = width // heads
    split = graph.constant(np.array([batch, tokens, heads, size]))
    query, key, value = (
        graph.node("Transpose", graph.node(
            "Reshape", graph.linear(x, width, width), split), perm=order)
        for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scale = graph.constant(np.float32(size ** -0.5))
    scores = graph.node("Mul", graph.node("MatMul", query, key), scale)
    mixed = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), value)
    joined = graph.node(
        "Reshape", graph.node("Transpose", mixed, perm=[0, 2, 1, 3]),
        graph.constant(np.array([batch, tokens, width])))
    return graph.linear(joined, width, width)


def attention(tokens, width, heads):
    def make(onnx):
        graph = Graph(onnx)
        x = graph.input(1, tokens, width)
        return graph.model(attend(graph, x, 1, tokens, width, heads))
    return make


def norm(graph, x, width):
    return graph.node("LayerNormalization", x,
                      graph.constant(np.ones(width, np.float32)),
                      graph.constant(np.zeros(width, np.float32)), axis=-1)


def gelu(graph, x):
    part = graph.node("Erf", graph.node(
        "Div", x, graph.constant(np.float32(math.sqrt(2)))))
    half = graph.node("Mul", graph.constant(np.float32(0.5)), graph.node(
        "Add", part, graph.constant(np.float32(1))))
    return graph.node("Mul", x, half)


def encoder(layers, batch, tokens, width, heads, hidden):
    """Layers of a transformer's encoder, as those of BERT."""
    def make(onnx):
        graph = Graph(onnx)
        x = graph.input(batch, tokens, width)
        for _ in range(layers):
            x = norm(graph, graph.node(
                "Add", attend(graph, x, batch, tokens, width, heads), x), width)
            wide = gelu(graph, graph.linear(x, width, hidden))
            x = norm(graph, graph.node(
                "Add", graph.linear(wide, hidden, width), x), width)
        return graph.model(x)
    return make


def convolve(graph, x, inner, outer, size, stride=1, scale=1.0):
    """A convolution that has taken the normalization after it, as exporters
    write it."""
    weights = graph.random(outer, inner, size, size,
                           scale=scale * (2 / (inner * size * size)) ** 0.5)
    return graph.node("Conv", x, weights, graph.random(outer, scale=0.05),
                      kernel_shape=[size] * 2, strides=[stride] * 2,
                      pads=[size // 2] * 4)


def bottleneck(graph, x, inner, width, stride):
    """Three convolutions, and around them one or none; 4 x width channels."""
    def relu(y):
        return graph.node("Relu", y)
    y = relu(convolve(graph, x, inner, width, 1))
    y = relu(convolve(graph, y, width, width, 3, stride))
    # So small that sums of many blocks stay small.
    y = convolve(graph, y, width, 4 * width, 1, scale=0.3)
    if inner != 4 * width:
        x = convolve(graph, x, inner, 4 * width, 1, stride, scale=0.7)
    return relu(graph.node("Add", y, x))


def resnet50(size=224, classes=1000):
    def make(onnx):
        graph = Graph(onnx)
        x = graph.node("Relu", convolve(graph, graph.input(1, 3, size, size),
                                        3, 64, 7, 2))
        x = graph.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2],
                       pads=[1] * 4)
        inner = 64
        for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for block in range(blocks):
                stride = 2 if block == 0 and width > 64 else 1
                x = bottleneck(graph, x, inner, width, stride)
                inner = 4 * width
        x = graph.node("Flatten", graph.node("GlobalAveragePool", x))
        return graph.model(graph.node(
            "Gemm", x, graph.random(classes, inner, scale=inner ** -0.5),
            graph.random(classes, scale=0.1), transB=1))
    return make


def recorded(folder):
    """A model of a folder, with its inputs."""
    def make(onnx):
        inputs = {file.name[3:-4]: np.load(file)
                  for file in sorted(folder.glob("in.*.npy"))}
        return onnx.load(folder / "model.onnx"), inputs
    return make


def count_products(onnx, model):
    """Multiply-adds of MatMul, Gemm and Conv, as they are written."""
    inferred = onnx.shape_inference.infer_shapes(model)
    graph = inferred.graph
    shapes = {each.name: list(each.dims) for each in graph.initializer}
    for info in [*graph.value_info, *graph.input, *graph.output]:
        shapes[info.name] = [
            dim.dim_value for dim in info.type.tensor_type.shape.dim]
    count = 0
    for node in graph.node:
        if node.op_type not in ("MatMul", "Gemm", "Conv"):
            continue
        points = math.prod(shapes[node.output[0]])
        left, right = (shapes[name] for name in node.input[:2])
        if node.op_type == "Conv":
            points *= math.prod(right[1:])
        elif node.op_type == "Gemm":
            transposed = any(each.name == "transA" and each.i
                             for each in node.attribute)
            points *= left[0 if transposed else 1]
        else:
            points *= left[-1]
        if points <= 0:
            raise ValueError(f"{node.name}: a size is not known")
        count += points
    return count
