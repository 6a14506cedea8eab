// Scan: a body for each slice of its inputs.
#include "frontends/onnx/Subgraphs.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/Regions.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// One slice of dimension `axis` without it.
FailureOr<Tensor> sliceAt(GraphBuilder &b, const Tensor &x, int64_t axis,
                          Expr at) {
  SmallVector<Expr> offsets(x->rank(), b.zero()), lengths(x->dims);
  offsets[axis] = at;
  lengths[axis] = b.sizes.constant(1);
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (i != axis)
      kept.push_back(i);
  TRY(Tensor part,
      slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1)));
  return rearrange(b, part, kept);
}

/// The same of each.
FailureOr<SmallVector<Tensor>>
tensorsOf(GraphBuilder &b, ArrayRef<NamedValue> values, StringRef what) {
  SmallVector<Tensor> tensors;
  for (const NamedValue &value : values) {
    TRY(Tensor tensor, tensorOf(b, value, what));
    tensors.push_back(tensor);
  }
  return tensors;
}

/// A per-operand list attribute of Scan, zero by default.
FailureOr<SmallVector<int64_t>> scanList(Node &node, StringRef name,
                                         int64_t count) {
  TRY(SmallVector<int64_t> values, node.attributes.integers(name));
  values.resize(std::max<size_t>(values.size(), count), 0);
  return values;
}

/// A Scan node.
struct Scan {
  const GraphProto *body;
  int64_t carried, scanned, scans;
  Expr length;
  SmallVector<int64_t> directions, outDirections, axes, outAxes;
  SmallVector<Tensor> state, sequences;
  SmallVector<SmallVector<Tensor>> collected;
};

FailureOr<Scan> readScan(Node &node) {
  GraphBuilder &b = node.b;
  Scan scan;
  TRY(scan.body, node.attributes.graph("body"));
  TRY(scan.scanned, node.attributes.integer("num_scan_inputs", 0));
  if (scan.scanned < 1 || scan.scanned > node.numInputs())
    return node.fail("attribute 'num_scan_inputs' is " + Twine(scan.scanned) +
                     ", the node has " + Twine(node.numInputs()) + " inputs");
  scan.carried = node.numInputs() - scan.scanned;
  if (node.opset < 9)
    return node.fail("Scan of operator set 8 is not supported");
  if (std::ssize(scan.body->input) != node.numInputs() ||
      std::ssize(scan.body->output) < scan.carried ||
      node.numOutputs() > std::ssize(scan.body->output))
    return node.fail("the body has " + Twine(std::ssize(scan.body->input)) +
                     " inputs, the node has " + Twine(node.numInputs()) +
                     " of which " + Twine(scan.scanned) + " are scanned");
  scan.scans = std::ssize(scan.body->output) - scan.carried;
  scan.collected.resize(scan.scans);
  TRY(scan.directions, scanList(node, "scan_input_directions", scan.scanned));
  TRY(scan.outDirections, scanList(node, "scan_output_directions", scan.scans));
  TRY(scan.axes, scanList(node, "scan_input_axes", scan.scanned));
  TRY(scan.outAxes, scanList(node, "scan_output_axes", scan.scans));
  for (int64_t i = 0; i < node.numInputs(); ++i) {
    TRY(Tensor tensor, node.input(i));
    if (i < scan.carried) {
      scan.state.push_back(tensor);
      continue;
    }
    int64_t &axis = scan.axes[i - scan.carried];
    TRY(axis, axisOf(node.b, axis, tensor->rank()));
    Expr length = tensor->dims[axis];
    if (scan.sequences.empty())
      scan.length = length;
    else if (failed(matchSize(b, length, scan.length, "a scanned input")))
      return failure();
    scan.sequences.push_back(tensor);
  }
  return scan;
}

/// What the body gets in an iteration; without a number, what has the types and
/// sizes of that.
FailureOr<llvm::StringMap<NamedValue>> argumentsOf(GraphBuilder &b,
                                                   const Scan &scan,
                                                   Expr number,
                                                   ArrayRef<Tensor> state) {
  llvm::StringMap<NamedValue> arguments;
  for (int64_t i = 0; i < scan.carried; ++i)
    arguments[scan.body->input[i].name] = state[i];
  for (int64_t i = 0; i < scan.scanned; ++i) {
    const Tensor &sequence = scan.sequences[i];
    Tensor &argument =
        arguments[scan.body->input[scan.carried + i].name].tensor;
    if (number) {
      Expr last = b.sizes.add(scan.length, -1);
      TRY(argument,
          sliceAt(b, sequence, scan.axes[i],
                  scan.directions[i] ? b.sizes.sub(last, number) : number));
      continue;
    }
    Dims dims = sequence->dims;
    dims.erase(dims.begin() + scan.axes[i]);
    TRY(argument,
        broadcastTo(b, scalarConstant(b, sequence->element, 0), dims));
  }
  return arguments;
}

/// The state at the end, and what the iterations gave.
LogicalResult setUnrolled(Node &node, Scan &scan) {
  GraphBuilder &b = node.b;
  SmallVector<Tensor> none;
  if (isConst(scan.length, 0) && node.numOutputs() > scan.carried) {
    TRY(auto arguments, argumentsOf(b, scan, nullptr, scan.state));
    TRY(auto results, resultsOfNone(node, *scan.body, arguments));
    TRY(none, tensorsOf(b, results, "an output of a scan's body"));
  }
  for (int64_t i = 0; i < node.numOutputs(); ++i) {
    Tensor result = i < scan.carried ? scan.state[i] : nullptr;
    if (i >= scan.carried) {
      auto &parts = scan.collected[i - scan.carried];
      if (scan.outDirections[i - scan.carried])
        std::reverse(parts.begin(), parts.end());
      const Tensor &element = parts.empty() ? none[i] : parts[0];
      int64_t axis = scan.outAxes[i - scan.carried];
      if (axis < 0)
        axis += element->rank() + 1;
      TRY(result, parts.empty() ? stackOfNone(b, element, axis)
                                : stack(b, parts, axis));
    }
    if (failed(node.set(i, result)))
      return failure();
  }
  return success();
}

/// The axis of an output along which iterations are stacked.
FailureOr<int64_t> stackAxis(Node &node, const Scan &scan, int64_t i,
                             int64_t rank) {
  const int64_t axis = scan.outAxes[i] + (scan.outAxes[i] < 0 ? rank + 1 : 0);
  if (axis < 0 || axis > rank)
    return node.fail("axis " + Twine(scan.outAxes[i]) +
                     " of a scan output does not fit");
  return axis;
}

/// A scan that the run repeats. Iterations are collected along the first
/// dimension: those of an output that runs backwards, from its end.
LogicalResult repeatScan(Node &node, const Scan &scan) {
  GraphBuilder &b = node.b;
  LoopParts parts;
  parts.count = scan.length;
  parts.state = scan.state;
  auto body = [&](Expr number, ArrayRef<Tensor> state) -> FailureOr<Iteration> {
    TRY(auto arguments, argumentsOf(b, scan, number, state));
    TRY(auto values, node.importer.inlineGraph(*scan.body, arguments));
    TRY(auto given, tensorsOf(b, values, "an output of a scan's body"));
    auto all = ArrayRef<Tensor>(given);
    Iteration iteration{
        nullptr, llvm::to_vector(all.take_front(scan.carried)), {}};
    Expr fromEnd = b.sizes.sub(b.sizes.add(scan.length, -1), number);
    for (auto [value, isBackwards] :
         llvm::zip(all.drop_front(scan.carried), scan.outDirections))
      iteration.collected.push_back({value, isBackwards ? fromEnd : number});
    return iteration;
  };
  TRY(LoopResults results, repeat(b, parts, body));
  for (int64_t i = 0; i < node.numOutputs(); ++i) {
    if (i < scan.carried) {
      if (failed(node.set(i, results.state[i])))
        return failure();
      continue;
    }
    Tensor all = results.collected[i - scan.carried];
    TRY(int64_t axis, stackAxis(node, scan, i - scan.carried, all->rank() - 1));
    SmallVector<int64_t> order;
    for (int64_t d = 1; d < all->rank(); ++d)
      order.push_back(d);
    order.insert(order.begin() + axis, 0);
    TRY(all, transpose(b, all, order));
    if (failed(node.set(i, all)))
      return failure();
  }
  return success();
}

LogicalResult importScan(Node &node) {
  TRY(Scan scan, readScan(node));
  const auto length = constantOf(scan.length);
  if (!length || *length > mostUnrolled(*scan.body))
    return repeatScan(node, scan);
  for (int64_t trip = 0; trip < *length; ++trip) {
    TRY(auto arguments,
        argumentsOf(node.b, scan, node.b.sizes.constant(trip), scan.state));
    TRY(auto values, node.importer.inlineGraph(*scan.body, arguments));
    TRY(auto results, tensorsOf(node.b, values, "an output of a scan's body"));
    for (int64_t i = 0; i < scan.carried; ++i)
      scan.state[i] = results[i];
    for (int64_t i = 0; i < scan.scans; ++i)
      scan.collected[i].push_back(results[scan.carried + i]);
  }
  return setUnrolled(node, scan);
}

} // namespace

void addScanOps(OpTable &t) {
  t.add("Scan", 9, importScan, "carried values keep their type and rank");
}

} // namespace tilewright::onnx
