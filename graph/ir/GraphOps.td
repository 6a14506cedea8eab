// The graph dialect: what linalg on tensors has no op for.
#ifndef TILEWRIGHT_GRAPH_IR_GRAPHOPS
#define TILEWRIGHT_GRAPH_IR_GRAPHOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::tilewright::graph";
  let summary = "What the graph level says beyond linalg on tensors";
}

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits>;

def Graph_ReplacedOp : Graph_Op<"replaced", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments,
    SingleBlock]> {
  let summary = "A computation that a kernel of the user stands for";
  let description = [{
    The body is what the op means: the sizes of its results follow from it, and
    so do the numbers, within what the kernel's author takes for equal. The
    kernel is what runs. It takes views of the inputs and then of the results.
    The body's arguments are the inputs and then the sizes.

    - (C1) The body's arguments have the types of the operands.
    - (C2) The body yields values of the results' types.
    - (C3) There is a result.

    ```mlir
    %y = graph.replaced @silu(%x : tensor<?x4xf32>) sizes(%n)
        : tensor<?x4xf32> {
    ^bb0(%a: tensor<?x4xf32>, %size: index):
      ...
      graph.yield %b : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyRankedTensor>:$inputs,
                       Variadic<Index>:$sizes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel `(` ($inputs^ `:` type($inputs))? `)` (`sizes` `(` $sizes^ `)`)?
    attr-dict `:` type($results) $body
  }];
  let extraClassDeclaration = [{
    /// The value that the body gives for result `number`.
    ::mlir::Value getYielded(unsigned number);
    /// The operand behind an argument of the body.
    ::mlir::Value getOperandOf(::mlir::BlockArgument argument) {
      return getOperand(argument.getArgNumber());
    }
  }];
  let hasVerifier = 1;
}

def Graph_YieldOp : Graph_Op<"yield", [
    Pure, ReturnLike, Terminator, HasParent<"ReplacedOp">]> {
  let summary = "Ends the body of an op";
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // TILEWRIGHT_GRAPH_IR_GRAPHOPS
