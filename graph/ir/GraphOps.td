// The graph dialect: what linalg on tensors has no op for.
#ifndef TILEWRIGHT_GRAPH_IR_GRAPHOPS
#define TILEWRIGHT_GRAPH_IR_GRAPHOPS

include "mlir/IR/OpAsmInterface.td"
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

def Graph_CompositeOp : Graph_Op<"composite", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments,
    SingleBlock]> {
  let summary = "A computation for which the user gives a kernel";
  let description = [{
    The body defines the op: the sizes of its results, and its numbers up to
    the differences that the kernel's author accepts. The kernel is what runs.
    It takes views of the inputs and then of the results. The body's arguments
    are the inputs and then the sizes.

    - (C1) The body's arguments have the types of the operands.
    - (C2) The body yields values of the results' types.
    - (C3) There is a result.

    ```mlir
    %y = graph.composite @silu(%x : tensor<?x4xf32>) sizes(%n)
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
    /// The body's value for result `number`.
    ::mlir::Value getYielded(unsigned number);
  }];
  let hasVerifier = 1;
}

def Graph_TopKOp : Graph_Op<"top_k", [Pure]> {
  let summary = "The greatest elements along one dimension, and where they are";
  let description = [{
    The results are in descending order; of equal elements the one with the
    lower index comes first. A NaN is greater than all other floats. With
    `smallest` the results are the least elements, in ascending order. The
    results' types say how many there are; the dimension has at least as many
    elements. If the indices are not used, a zero or NaN among the values may
    have the wrong sign.

    A kernel selects up to `maxTopK` floats of 16 or 32 bits or signed integers
    of 8 to 32 bits: it is unrolled for each of the results. `expand-sorts`
    writes other selections as sorts.

    - (C1) `axis` is a dimension of the source.
    - (C2) The results have the source's shape but along `axis`, where they have
      one static size. Values have the source's elements, indices are i64.
    - (C3) That size is at most the source's if this is static.
    - (C4) Elements are floats or integers; `unsigned` is for integers.

    ```mlir
    %v, %i = graph.top_k %x axis 1
        : tensor<?x64xf32> -> tensor<?x4xf32>, tensor<?x4xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis,
                       UnitAttr:$smallest, UnitAttr:$isUnsigned);
  let results = (outs AnyRankedTensor:$values, AnyRankedTensor:$indices);
  let assemblyFormat = [{
    $source `axis` $axis (`smallest` $smallest^)? (`unsigned` $isUnsigned^)?
    attr-dict `:` type($source) `->` type($values) `,` type($indices)
  }];
  let extraClassDeclaration = [{
    /// Whether a kernel selects the elements.
    bool isSelected();
  }];
  let hasVerifier = 1;
}

def Graph_ScanOp : Graph_Op<"scan", [Pure, SingleBlock]> {
  let summary = "All prefixes of rows, combined";
  let description = [{
    Element `i` of a row of the results combines elements 0 to `i` of the
    inputs; with `reverse`, from the last down to `i`. The body combines the
    scalars of two elements: first those of the earlier one, in the direction of
    the scan, then those of the other. It is associative, and its operations may
    be grouped in any way. A cumulative sum or product need not be a
    `graph.scan`: a linalg.generic says it, for combiners of one op.

    - (C1) There is an input, and all have one shape.
    - (C2) `axis` is a dimension of the inputs.
    - (C3) The results have the inputs' types.
    - (C4) The body has two arguments for each input, of its element type, and
      yields a value of this type for each. It reads nothing else but constants.

    ```mlir
    // The greatest element so far, and the last index that it has.
    %v, %i = graph.scan %x, %positions axis 1 {
    ^bb0(%a: f32, %ai: i64, %b: f32, %bi: i64):
      %takes = arith.cmpf oge, %b, %a : f32
      %max = arith.select %takes, %b, %a : f32
      %at = arith.select %takes, %bi, %ai : i64
      graph.yield %max, %at : f32, i64
    } : tensor<4x100xf32>, tensor<4x100xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$axis,
                       UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs `axis` $axis (`reverse` $reverse^)? attr-dict-with-keyword $body
    `:` type($inputs) `` custom<SameTypes>(ref(type($inputs)), type($results))
  }];
  let hasVerifier = 1;
}

def Graph_SortOp : Graph_Op<"sort", [Pure]> {
  let summary = "Sorts along one dimension";
  let description = [{
    The first input holds the keys; the others are permuted in the same way.
    The sort is stable. A NaN is greater than all other floats. A kernel holds
    whole rows, so that `expand-sorts` writes those of more than `maxSortedRow`
    elements, or of unknown length, as passes over the digits of the keys.

    - (C1) There is an input, and all have one shape.
    - (C2) `axis` is a dimension of the inputs.
    - (C3) The results have the inputs' types.
    - (C4) Keys are floats or integers; `unsigned` is for integers.

    ```mlir
    %k, %v = graph.sort %keys, %values axis 1 descending
        : tensor<?x64xf32>, tensor<?x64xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$axis,
                       UnitAttr:$descending, UnitAttr:$isUnsigned);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs,
    "int64_t":$axis, "bool":$descending, "bool":$isUnsigned)>];
  let assemblyFormat = [{
    $inputs `axis` $axis (`descending` $descending^)?
    (`unsigned` $isUnsigned^)? attr-dict `:` type($inputs)
    `` custom<SameTypes>(ref(type($inputs)), type($results))
  }];
  let hasVerifier = 1;
}

def Graph_DigitCountsOp : Graph_Op<"digit_counts", [Pure]> {
  let summary = "How often each digit occurs in blocks of rows";
  let description = [{
    The digit `n` of a key are its bits from `8 n` on, below `8 n + 8`. A row,
    the last dimension, has blocks of `block` keys, the last one of fewer.
    Element `[.., d, b]` of the result is the number of keys in block `b` of
    row `..` whose digit is `d`.

    - (C1) Keys are integers of 8, 16, 32 or 64 bits, which have the digit.
    - (C2) The result is of i64, and has the rows, 256 digits, and the blocks.
    - (C3) `block` is positive.

    ```mlir
    %c = graph.digit_counts %keys digit 0 block 8192
        : tensor<4x20000xi32> -> tensor<4x256x3xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$keys, I64Attr:$digit, I64Attr:$block);
  let results = (outs AnyRankedTensor:$counts);
  let assemblyFormat = [{
    $keys `digit` $digit `block` $block attr-dict
    `:` type($keys) `->` type($counts)
  }];
  let hasVerifier = 1;
}

def Graph_DigitScatterOp : Graph_Op<"digit_scatter", [Pure,
    AllTypesMatch<["keys", "sortedKeys"]>,
    AllTypesMatch<["values", "sortedValues"]>]> {
  let summary = "Orders rows by one digit of their keys";
  let description = [{
    Key and value `i` of a row, in block `b` of it and with the digit `d`, move
    to `offsets[.., d, b]`, plus the number of keys in the block that are before
    it and have the same digit. If the offsets are the sums of all counts
    (`graph.digit_counts`) before each one, the rows are then sorted by the
    digit, stably. An offset that is not below the row's length is a fault.
    `ends[.., b, d]` is the offset behind the keys with digit `d` of block `b`:
    memory in which a kernel counts them.

    - (C1) Keys are integers of 8, 16, 32 or 64 bits, which have the digit.
    - (C2) Offsets are of i64, and have the rows, 256 digits, and the blocks.
    - (C3) `block` is positive.
    - (C4) Values are integers in the shape of the keys.
    - (C5) `ends` is of i64, and has the rows, the blocks, and 256 digits.

    ```mlir
    %k, %v, %e = graph.digit_scatter %keys, %values to %offsets
        digit 0 block 8192
        : tensor<4x20000xi32>, tensor<4x20000xi64>, tensor<4x256x3xi64>
        -> tensor<4x3x256xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$keys, AnyRankedTensor:$values,
                       AnyRankedTensor:$offsets, I64Attr:$digit,
                       I64Attr:$block);
  let results = (outs AnyRankedTensor:$sortedKeys,
                      AnyRankedTensor:$sortedValues, AnyRankedTensor:$ends);
  let assemblyFormat = [{
    $keys `,` $values `to` $offsets `digit` $digit `block` $block attr-dict
    `:` type($keys) `,` type($values) `,` type($offsets) `->` type($ends)
  }];
  let hasVerifier = 1;
}

def Graph_ScatterOp : Graph_Op<"scatter", [Pure, AllTypesMatch<["data",
    "result"]>]> {
  let summary = "A tensor with updates combined into elements at indices";
  let description = [{
    The result is a copy of `data` in which each element of the updates is
    combined with the element at `target`. The dimensions of the map `target`
    are the coordinates of the update; its symbols are numbers, one read from
    each tensor of `indices` by that tensor's map in `index_maps`. A negative
    number counts from the end of its dimension of the data; an update outside
    of the data is ignored. The order in which updates of one element are
    combined is not specified. Each combination is rounded to the type of the
    data. The result has the memory of the data if nothing else reads them.

    `set` replaces the element. Where several updates may go to one element the
    op has a second result, `owners`, and the last one counts: the one with the
    greatest number in row-major order of the coordinates that are no
    dimensions of `target`. `owners` is memory in which kernels agree on it: of
    the dimensions of the data that `target` takes from an index, or from a
    dimension that `index_maps` read. Its content is not specified.

    - (C1) `kind` is set, add, mul, min, max, umin or umax.
    - (C2) Each index tensor has integers and a map of the updates' rank.
    - (C3) `target` has a result for each dimension of the data: a dimension or
      a symbol.
    - (C4) Updates have the data's elements. They are of any type for set, i32
      or i64 for umin and umax, else i32, i64, f16, bf16, f32 or f64.
    - (C5) Only set has owners; they are i32 or i64, and have the dimensions
      above.

    ```mlir
    // Rows are added to rows.
    %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
        target affine_map<(d0, d1)[s0] -> (s0, d1)>
        index_maps [affine_map<(d0, d1) -> (d0)>]
        : tensor<8x64xf32>, tensor<100x64xf32>
    // Of equal indices the last one counts.
    %z, %o = graph.scatter "set" %u into %x at(%i : tensor<8xi64>)
        target affine_map<(d0, d1)[s0] -> (s0, d1)>
        index_maps [affine_map<(d0, d1) -> (d0)>]
        : tensor<8x64xf32>, tensor<100x64xf32> owners tensor<100xi32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, AnyRankedTensor:$updates,
                       AnyRankedTensor:$data, Variadic<AnyRankedTensor>:$indices,
                       AffineMapAttr:$target, AffineMapArrayAttr:$index_maps);
  let results = (outs AnyRankedTensor:$result,
                      Optional<AnyRankedTensor>:$owners);
  let assemblyFormat = [{
    $kind $updates `into` $data `at` `(` $indices `:` type($indices) `)`
    `target` $target `index_maps` $index_maps attr-dict
    `:` type($updates) `,` type($data) (`owners` type($owners)^)?
  }];
  let extraClassDeclaration = [{
    /// The loops over the updates that are no dimension of the target: updates
    /// that differ only in these may go to one element.
    ::llvm::SmallVector<unsigned> getFreeLoops();
    /// The dimensions of the data that `owners` has.
    ::llvm::SmallVector<unsigned> getOwnedDims();
  }];
  let hasVerifier = 1;
}

def Graph_GroupOp : Graph_Op<"group", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock]> {
  let summary = "Ops that one kernel computes";
  let description = [{
    The body holds the ops, and the constants, fills and empty tensors that
    they use: the kernel makes these in registers. The body's arguments are the
    inputs, which the kernel reads from memory, and then sizes. The kernel
    stores the results. Each program computes a tile of the first result, and of
    each other result the part that corresponds to this tile.

    `schedules` has an entry for each target (`cpu`, `sm_90a`) with up to three
    fields. `tiling` is a `#tile.schedule` that tiles the group into programs
    and steps (`tile0`, `step0`, `grid`, ..). `schedule` is another one, for the
    kernel itself. `origin` says where both come from. The attribute
    `graph.decisions`, if asked for, says why an op was taken into the group or
    left.

    - (C1) The body's arguments have the types of the operands.
    - (C2) The body yields values of the results' types.
    - (C3) There is a result; ops of the body compute them, and none is yielded
      twice.

    ```mlir
    %y = graph.group(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>)
        sizes(%n : index) : tensor<?x32xf32> {
    ^bb0(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %size: index):
      ...
      graph.yield %c : tensor<?x32xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnySignlessIntegerOrIndex>:$sizes,
                       OptionalAttr<DictionaryAttr>:$schedules);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` ($inputs^ `:` type($inputs))? `)`
    (`sizes` `(` $sizes^ `:` type($sizes) `)`)? attr-dict `:` type($results)
    $body
  }];
  let extraClassDeclaration = [{
    /// The body's values for the results.
    ::mlir::OperandRange getYielded();
  }];
  let hasVerifier = 1;
}

def Graph_LaunchOp : Graph_Op<"launch"> {
  let summary = "Runs a kernel of the program";
  let description = [{
    The arguments are those of the kernel: a tensor for each view, an index for
    each size. `writes` lists the positions of the arguments that the kernel
    writes. The results are these tensors after the launch, in that order and in
    the same memory. An argument that is written and comes from a
    `tensor.empty` has memory of its own. `label` names the frontend's nodes
    that the launch computes.

    - (C1) The positions in `writes` ascend, and are those of tensors.
    - (C2) The results have the types of the arguments that are written.

    ```mlir
    %e = tensor.empty() : tensor<8x32xf32>
    %y = graph.launch @k0_matmul(%e, %x, %w) writes [0] "MatMul_1 + Relu_2"
        : (tensor<8x32xf32>, tensor<8x64xf32>, tensor<64x32xf32>)
        -> tensor<8x32xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<AnyTypeOf<[AnyRankedTensor, Index]>>:$arguments,
                       DenseI64ArrayAttr:$writes, StrAttr:$label);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $arguments `)` `writes` $writes $label attr-dict
    `:` functional-type($arguments, $results)
  }];
  let extraClassDeclaration = [{
    /// The argument whose memory contains result `number`.
    ::mlir::Value getWritten(unsigned number) {
      return getArguments()[getWrites()[number]];
    }
    /// The result that is the argument at `position` after the launch; none if
    /// the argument is only read.
    std::optional<unsigned> resultOf(unsigned position);
  }];
  let hasVerifier = 1;
}

def Graph_ConditionOp : Graph_Op<"condition", [Pure]> {
  let summary = "A condition that the host reads from memory";
  let description = [{
    The host reads the only element when the program gets there, and takes one
    side of an `scf.if`, or goes on with an `scf.while`, by it. Kernels read
    the tensor instead. It is not folded: a branch is either chosen by the host
    or resolved by `flatten-control-flow`.

    - (C1) The tensor is a `tensor<i1>`.

    ```mlir
    %c = graph.condition %t : tensor<i1>
    %y = scf.if %c -> tensor<4xf32> {...} else {...}
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor);
  let results = (outs I1:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor), [{
    build($_builder, $_state, $_builder.getI1Type(), tensor);
  }]>];
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_SizeOp : Graph_Op<"size", [Pure]> {
  let summary = "A size that the host reads from memory";
  let description = [{
    The host reads the only element when the program gets there, and ends the
    run with a message if it is less than `at_least` or greater than `at_most`.
    This is the only way from elements to an index. Behind it the number is a
    size like others (`SymbolicShapes`).

    - (C1) The tensor is a `tensor<i64>` or a `tensor<i32>`.

    ```mlir
    %n = graph.size %t at_least 1 at_most %limit : tensor<i64>
    %r = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor,
                       DefaultValuedAttr<I64Attr, "0">:$at_least,
                       Optional<Index>:$at_most);
  let results = (outs Index:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor,
                                 "int64_t":$at_least), [{
    build($_builder, $_state, $_builder.getIndexType(), tensor, at_least,
          ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $tensor (`at_least` $at_least^)? (`at_most` $at_most^)? attr-dict
    `:` type($tensor)
  }];
  let hasVerifier = 1;
}

def Graph_ResizeRowsOp : Graph_Op<"resize_rows", [Pure,
    AllElementTypesMatch<["source", "result"]>]> {
  let summary = "A tensor with another number of rows, in the same memory";
  let description = [{
    Along dimension 0 the result has `rows` elements: first those of the source,
    as far as they go, then undefined ones. Nothing is copied. There may be more
    rows than in the source only where a loop carries the result on, and the
    source is the tensor that it found, as ops have changed it in its memory:
    the memory doubles where it is too small.

    - (C1) The types are equal but for dimension 0, which is dynamic in the
      result.

    ```mlir
    %next = graph.resize_rows %collected to %n
      : tensor<?x4xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Index:$rows);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `to` $rows attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_CheckOp : Graph_Op<"check"> {
  let summary = "Ends the run with a message unless sizes are as expected";
  let description = [{
    Checks that two sizes are equal, or that one is at most the other. Both are
    known before the first kernel runs. The message says what the user did
    wrong.

    ```mlir
    graph.check %n equals %m, "both inputs have one batch"
    graph.check %end at_most %n, "the slice lies in the tensor"
    ```
  }];
  let arguments = (ins Index:$size, UnitAttr:$at_most, Index:$expected,
                       StrAttr:$message);
  let assemblyFormat = [{
    $size (`at_most` $at_most^) : (`equals`)? $expected `,` $message attr-dict
  }];
}

def Graph_RequireOp : Graph_Op<"require", [MemoryEffects<[MemWrite]>]> {
  let summary = "Ends the run with a message unless elements are as expected";
  let description = [{
    Each element is at least `low` and below `high`, or, without these, is not
    zero. The message says what the user did wrong. The elements are known only
    when the kernels run, other than the sizes of a `graph.check`. What is
    computed from an unexpected element has no meaning, but is computed.

    - (C1) Elements are integers.
    - (C2) There are both bounds, or none.

    ```mlir
    graph.require %i in(%low, %high), "an index is not in the tensor"
        : tensor<?xi64>
    graph.require %d, "a divisor is zero" : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$bounds,
                       StrAttr:$message);
  let assemblyFormat = [{
    $source (`in` `(` $bounds^ `)`)? `,` $message attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

/// Kernels of the program on their way to code for one target.
class Graph_CodeOp<string mnemonic, string device>
    : Graph_Op<mnemonic, [
        IsolatedFromAbove, SymbolTable, NoRegionArguments, NoTerminator,
        SingleBlock, OpAsmOpInterface]> {
  let summary = "Kernels on their way to code for " # device;
  let description = [{
    Each module holds one kernel at some level of lowering. Its attribute
    `tile.target` names the target. Each kind of target has an op of its own, so
    that the text of a pipeline can select modules by it:
    `graph.gpu_code(builtin.module(cse))`.

    - (C1) There are modules with a `tile.target`, and nothing else.

    ```mlir
    graph.gpu_code {
      module @k0_matmul attributes {tile.target = #tile.target<"sm_90a">} {
        tile.kernel @k0_matmul(...) {...}
      }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// Modules in it print without the prefix "builtin.", as in a module.
    static ::llvm::StringRef getDefaultDialect() { return "builtin"; }
  }];
  let hasVerifier = 1;
}

def Graph_CpuCodeOp : Graph_CodeOp<"cpu_code", "a CPU">;
def Graph_GpuCodeOp : Graph_CodeOp<"gpu_code", "a GPU">;
def Graph_InterpreterCodeOp
    : Graph_CodeOp<"interpreter_code", "the device \"interpreter\"">;

def Graph_YieldOp : Graph_Op<"yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["GroupOp", "CompositeOp", "ScanOp"]>]> {
  let summary = "Ends the body of an op";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // TILEWRIGHT_GRAPH_IR_GRAPHOPS
