// The passes that bring a module of linalg on tensors into graph form.
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_PASSES
#define TILEWRIGHT_GRAPH_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

class GraphPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def InlineFunctions : GraphPass<"inline-functions"> {
  let summary = "Leaves one function, with the bodies of those it calls";
  let description = [{
    Chooses the entry: the only function with a body, the one called `main`, or
    the only public one that no other calls. Puts the bodies of called functions
    where they are called, and removes all functions but the entry. A call of
    the function that makes it, directly or through others, and a call of a
    function without a body are errors. Runs first. Afterwards there is one
    function of one block, and no call.
  }];
}

def SpecializeShapes : GraphPass<"specialize-shapes"> {
  let summary = "Gives inputs the shapes that were asked for";
  let description = [{
    `graph.shapes = {x = array<i64: 8, -1>}` on the module fixes sizes of the
    input `x`; -1 leaves one. A size with a name (`graph.dims`) is fixed wherever
    the name is. What reads an input goes on to see its old type, by a
    `tensor.cast`, which canonicalization takes further. An input that there is
    not, another rank, another size than that of the type, and two sizes of one
    name are errors. Removes the attribute. Runs after `inline-functions`: there
    is one function.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FlattenControlFlow : GraphPass<"flatten-control-flow"> {
  let summary = "Leaves no structured control flow";
  let description = [{
    Unrolls `scf.for`, `scf.while` and `scf.forall` whose bounds or conditions
    become constants, and takes the region of `scf.if` and `scf.index_switch`
    that a constant chooses. Where the condition is known only at run time all
    regions are computed, and `arith.select` takes the results: nothing there
    has effects. Bodies of linalg and tensor ops are flattened too. A loop whose
    end is not known is an error, and so is a program that grows beyond a limit.
    Folds what it copies, so that inner bounds become constants; runs after
    `inline-functions`. Leaves a function without control flow as it is.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", /*default=*/"65536",
           "ops that may come out of one function">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ScalarsToTensors : GraphPass<"scalars-to-tensors"> {
  let summary = "Makes tensors of no dimensions of scalar arguments and results";
  let description = [{
    A number that the function takes becomes a tensor without dimensions, from
    which the number is read; one that it returns is put into such a tensor.
    `index` becomes i64. Other types than tensors and numbers are errors. Runs
    after `inline-functions`: a package passes nothing but tensors.
  }];
}

def RewriteSizes : GraphPass<"rewrite-sizes"> {
  let summary = "Writes arithmetic of sizes with the ops that shapes follow";
  let description = [{
    Division and remainder of values of type index that are not negative become
    `arith.floordivsi` and what follows from it; `affine.min`, `affine.max` and
    the choice of the smaller or the larger of two become `arith.minsi` and
    `arith.maxsi`. Leaves values that may be negative: they round
    differently.
  }];
}

def DecomposeLinalg : GraphPass<"decompose-linalg"> {
  let summary = "Writes softmax, pack, unpack and Winograd as simpler ops";
  let description = [{
    Softmax and the transforms of Winograd by their own decomposition; pack as a
    padding, a reshape and a transpose, unpack as a transpose, a reshape and a
    slice. Leaves structured ops alone. Runs before `flatten-control-flow` and
    `lower-tensor-ops`, which know what comes out.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerTensorOps : GraphPass<"lower-tensor-ops"> {
  let summary = "Writes ops on single elements of tensors as linalg.generic";
  let description = [{
    `splat`, `generate`, `from_elements`, `insert`, `gather`, `scatter` and
    `bitcast` become generics, that may read scalars from outside. Leaves
    `from_elements` of the sizes that a `tensor.reshape` takes.
  }];
}

def LowerSlices : GraphPass<"lower-slices"> {
  let summary = "Writes slices and paddings that are no structured loads as generics";
  let description = [{
    `insert_slice` becomes a choice between its two tensors, `extract_slice`
    with a stride that is negative or not constant or an offset that depends on
    data, and `pad` with a value that is not constant, become reads by index.
    Leaves the slices and paddings that a tile load can do.
  }];
}

def LowerReshapes : GraphPass<"lower-reshapes"> {
  let summary = "Writes expand_shape and collapse_shape as tensor.reshape";
  let description = [{
    The sizes of the result are the elements of a `tensor.from_elements`, as
    the graph level expects. A constant is reshaped here and now.
  }];
}

def ElementwiseToGeneric : GraphPass<"elementwise-to-generic"> {
  let summary = "Writes arith and math ops on tensors as linalg.generic";
  let description = [{
    Ops of scalars that are mapped over the elements of tensors, among them
    `arith.select` with one condition for all. Leaves ops on scalars.
  }];
}

def GeneralizeOps : GraphPass<"generalize-ops"> {
  let summary = "Writes linalg's named ops as linalg.generic";
  let description = [{
    All structured ops but a `linalg.fill` with a constant of the element type.
    An op on buffers is an error.
  }];
}

def FoldBatchNorm : GraphPass<"fold-batch-norm"> {
  let summary = "Multiplies weights by the scales of their channels";
  let description = [{
    Where an f32 contraction with constant weights (a convolution, for
    instance) is read by one op only, which makes `scale[c] * x + shift[c]` of
    its channels c by constants, as a batch norm does: the weights are
    multiplied by the scale, and an addition of the shift remains, into which
    an addition of a bias between the two goes too. Scale and shift are computed
    in double precision from what the model says, so that a weight is rounded
    once; therefore this runs before `fold-constants`. Leaves a product that is
    not finite, and weights of other types. Runs after `generalize-ops`.
  }];
  let statistics = [
    Statistic<"foldedCount", "folded", "ops that went into weights">
  ];
}

def FoldConstants : GraphPass<"fold-constants"> {
  let summary = "Computes small tensors that depend on no input";
  let description = [{
    An op that reads constants only becomes the constant of its elements, as its
    own body and its dialect's folders compute them, if they are few and cost
    little. An operand that has one value for all elements goes into the body of
    an elementwise op. Leaves what makes elements of their positions alone (an
    iota): it costs nothing to make again. Runs after `generalize-ops`, and
    before `capture-scalars`.
  }];
  let options = [
    Option<"mostElements", "most-elements", "int64_t", /*default=*/"1024",
           "elements that a tensor may have">,
    Option<"mostOperations", "most-operations", "int64_t",
           /*default=*/"131072", "scalar ops that one tensor may cost">
  ];
  let statistics = [
    Statistic<"foldedCount", "folded", "ops that became constants">
  ];
}

def CaptureScalars : GraphPass<"capture-scalars"> {
  let summary = "Gives the bodies of generics their scalars as operands";
  let description = [{
    A scalar that a body reads from outside, or that is an operand, is left where
    it is a constant or a size, that is an expression over the dimensions of the
    arguments. Any other becomes a tensor without dimensions, computed by
    generics of its own and read by all points. Runs when all that reads scalars
    is a generic. Afterwards no scalar at function level depends on data but
    those that nothing reads.
  }];
}

def IndicesToIntegers : GraphPass<"indices-to-integers"> {
  let summary = "Makes tensors of i64 of tensors of index";
  let description = [{
    `index` has no size in memory. Bodies convert where they read and yield.
    Runs when all ops that compute are generics.
  }];
}

def SplitResults : GraphPass<"split-results"> {
  let summary = "Leaves several results only where they are accumulated together";
  let description = [{
    A generic with several results becomes one for each that is used, but for
    those of a reduction that are computed from each other's accumulators and
    indexed alike: the maximum and where it is. What a parallel result reads of
    another's `outs` becomes an input. Runs when all ops that compute are
    generics; nothing that merges equal ops may run afterwards.
  }];
}

def NormalizeGenerics : GraphPass<"normalize-generics"> {
  let summary = "Gives each linalg.generic a form that a kernel has";
  let description = [{
    - A loop that indexes all results is parallel, one that indexes none is a
      reduction.
    - Each subscript of a result is a loop of its own; elements that a constant
      subscript or a diagonal leaves out keep what `outs` has there.

    Runs after `split-results`: loops follow from how the results that are left
    are indexed.
  }];
}

def PushGathers : GraphPass<"push-gathers"> {
  let summary = "Computes gathered elements where they are gathered";
  let description = [{
    A body that reads single elements of what an elementwise op computes, which
    needs all of it in memory, computes them from the op's inputs instead, each
    once. Does so for all readers of an op or for none, where there are no more
    elements than the op has, nothing else wants these in memory, and computing
    them for each reader costs no more than storing and loading them
    (graph/analysis/Recomputation.h): an op that reads a value in several ways
    would otherwise compute it for each, and so on through a chain of these.
    Reads of such inputs at the loops alone become operands. Erases what is not
    read anymore. Runs after `normalize-generics`.
  }];
  let statistics = [
    Statistic<"pushCount", "pushed", "reads that compute what they read">
  ];
}

def SplitReductions : GraphPass<"split-reductions"> {
  let summary = "Computes a long reduction in parts, and combines those";
  let description = [{
    A reduction with too few results for all programs that a device runs at a
    time becomes two: the first reduces each part of one loop to a result of its
    own, the second reduces those, in their order. Its loop over the parts is
    marked `graph.parts`. Does so where a program would still read 16,384
    elements, and leaves reductions along rows that one program may hold for
    their consumers too, contractions, windows and prefixes. A size that is
    known only at run time counts for 8,192; a loop of such a size is taken
    apart unless its neighbours are those in memory. Parts have one length: what
    the last lacks is padding. How many there are depends on sizes alone, not on
    devices, so that the steps of a program are the same for all. Runs after
    `normalize-generics`.
  }];
  let statistics = [
    Statistic<"splitCount", "split", "reductions in two steps">
  ];
}

def DefineContent : GraphPass<"define-content"> {
  let summary = "Puts zeros where content is read that nothing wrote";
  let description = [{
    A `tensor.empty` and a `ub.poison` may hold anything: where their elements
    are read or returned, zeros. Afterwards a kernel writes each tensor that is
    read.
  }];
}

def InitsToInputs : GraphPass<"inits-to-inputs"> {
  let summary = "Makes inputs of the outs operands that parallel loops read";
  let description = [{
    Afterwards only a reduction reads its `outs`. Leaves those without content
    alone, and so runs after `define-content`.
  }];
}

def MoveConcats : GraphPass<"move-concats"> {
  let summary = "Concatenates what is computed of tensors in place of these";
  let description = [{
    An elementwise op that alone reads a concatenation, and is no mere copy,
    becomes one op for each input, and their results are concatenated: a kernel
    then computes an element of the result where it lies, and the concatenation
    itself is not stored. Of other operands each of these reads its slice; one
    that an input of another concatenation has is read from there.
    Leaves an op that reads the concatenation in another form than once for each
    element, or its index along the concatenated dimension, and one with another
    operand whose size along it is not known. Runs after `inits-to-inputs`.
  }];
  let statistics = [
    Statistic<"movedCount", "moved", "concatenations that were moved">
  ];
}

def VerifyGraphForm : GraphPass<"verify-graph-form"> {
  let summary = "Checks the form that groups are made of";
  let description = [{
    Each op that gives a tensor is a `linalg.generic` in the form that
    `normalize-generics` leaves, a `linalg.fill` with a constant, `pad`,
    `extract_slice`, `concat`, `reshape`, `cast`, `empty` or `from_elements` of
    tensor, a constant or a `graph.composite`; and a body has only ops of arith
    and math, and those that read an index or an element. Runs after all that
    bring the form about.
  }];
}

def ResolveSizes : GraphPass<"resolve-sizes"> {
  let summary = "Computes dimensions of tensors from those of the arguments";
  let description = [{
    A `tensor.dim` of what an op computes becomes an expression over dimensions
    of the function's arguments (`SymbolicShapes`), at the start of the
    function. Afterwards no size depends on an op that computes elements, so
    that groups may take these in. Runs on graph form.
  }];
}

def InsertSizeChecks : GraphPass<"insert-size-checks"> {
  let summary = "States what must hold of sizes that are known at run time";
  let description = [{
    A `graph.check` at the start of the function for what the ops expect of
    sizes and what does not follow from the types: that one loop has one length
    for all operands, that slices lie within, that casts and reshapes keep all
    elements; and in place of each `cf.assert` about sizes. Each condition once.
    What cannot hold is an error at the op. Runs on graph form, before groups
    are formed: those are isolated.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::tilewright::graph::GraphDialect"
  ];
}

def FormGroups : GraphPass<"form-groups"> {
  let summary = "Puts the ops of each kernel into a graph.group";
  let description = [{
    Decides which ops one kernel computes (`formGroups` in
    graph/analysis/Grouping.h): a root, what works on its tile, and what is
    computed where it is read. Afterwards no op of the function computes
    elements but groups and `graph.composite`; between them stand constants,
    reshapes, casts and sizes. Runs on graph form, after `resolve-sizes` and
    `insert-size-checks`; nothing that merges or moves ops may run afterwards.
  }];
  let options = [
    Option<"explain", "explain", "bool", /*default=*/"false",
           "write why each op is where it is to graph.decisions">
  ];
  let statistics = [
    Statistic<"groupCount", "groups", "groups that were formed">,
    Statistic<"opCount", "ops", "ops that they took in">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tilewright::graph::GraphDialect"
  ];
}

#endif
