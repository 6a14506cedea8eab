// The passes that bring a module of linalg on tensors into graph form.
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_PASSES
#define TILEWRIGHT_GRAPH_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

class GraphPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def InlineFunctions : GraphPass<"inline-functions">, Exact {
  let summary = "Inlines all calls, and leaves the entry function only";
  let description = [{
    Chooses the entry function: the only function with a body, the one called
    `main`, or the only public one that no other function calls. Inlines all
    calls, and removes all functions but the entry. Recursion and a call of a
    function without a body are errors. Runs first. Afterwards there is one
    function of one block, and no call.
  }];
}

def SpecializeShapes : GraphPass<"specialize-shapes">, Exact {
  let summary = "Gives inputs the shapes that the user asked for";
  let description = [{
    The module's attribute `graph.shapes = {x = array<i64: 8, -1>}` fixes sizes
    of the input `x`; -1 leaves a size as it is. A size that has a name
    (`graph.dims`) is fixed wherever this name occurs. Readers of an input still
    get the old type, from a `tensor.cast`; canonicalization propagates the new
    one. It is an error if there is no such input, if the rank differs, if the
    type has another static size, or if one name gets two sizes. Removes the
    attribute. Runs after `inline-functions`: there is one function.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FlattenControlFlow : GraphPass<"flatten-control-flow">, Exact {
  let summary = "Removes control flow, or brings it into the form that stays";
  let description = [{
    Unrolls `scf.for`, `scf.while` and `scf.forall` if their bounds or
    conditions become constants. If the condition of an `scf.if` or
    `scf.index_switch` is constant, takes the region that it chooses. Folds what
    it copies, so that inner bounds become constants. Bodies of linalg and
    tensor ops lose all control flow: a condition there becomes `arith.select`.

    Where a condition is known only at run time and both sides are cheap, both
    are computed and `arith.select` chooses the results. Cheap are elementwise
    ops, and ops that only change shapes, on numbers and tensors of at most
    4,096 elements, if none of them can fail. Other branches stay, and so do
    loops with bounds or conditions that are known only at run time; loops that
    would let the program grow beyond a limit; and loops of more than 64
    iterations and 8 ops. What stays has this form:

    - An `scf.if` has a `graph.condition`. A switch is a chain of them.
    - The bounds and the step of an `scf.for` are of type index. One that
      depends on elements is a `graph.size`.
    - An `scf.while` passes on what it carries as it is, and a
      `graph.condition` of a carried tensor says whether there is another
      iteration (`isRotatedLoop`). What computed the condition runs in front of
      the loop and at the end of each iteration.
    - They carry and yield ranked tensors and values of type index. Other
      numbers become tensors without dimensions. What nobody
      reads is not among them, nor what is the same on both sides or in all
      iterations.

    Errors are an `scf.forall` with unknown bounds, a loop whose condition is
    always true, and control flow in bodies that does not end. Runs after
    `inline-functions`, and again when other passes have created or
    canonicalized control flow. Does not change a function without it.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", /*default=*/"65536",
           "the most ops of the flattened function">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::tilewright::graph::GraphDialect"
  ];
}

def ScalarsToTensors : GraphPass<"scalars-to-tensors">, Exact {
  let summary = "Makes scalar arguments and results tensors without dimensions";
  let description = [{
    A package passes only tensors. So a number that the function takes becomes a
    tensor without dimensions, from which the function reads the number; a
    number that it returns becomes such a tensor. `index` becomes i64. Types
    other than tensors and numbers are errors. Runs after `inline-functions`.
  }];
}

def RewriteSizes : GraphPass<"rewrite-sizes">, Exact {
  let summary = "Writes arithmetic on sizes as ops that shape analysis knows";
  let description = [{
    Shape analysis knows a few ops only. A division or remainder of nonnegative
    values of type index becomes `arith.floordivsi` and ops on its result.
    `affine.min`, `affine.max`, and a select of the smaller or larger of two
    values become `arith.minsi` and `arith.maxsi`. Does not change divisions of
    values that may be negative, which round differently.
  }];
}

def ReadSizes : GraphPass<"read-sizes">, Exact {
  let summary = "Lets the host read the sizes that depend on elements";
  let description = [{
    Where a size of a slice, an empty tensor, a padding, a splat, a generated
    tensor or a reshape depends on elements, each number in it that no shape
    tells becomes a `graph.size`: all of its uses, also those that are offsets,
    are then known to the host. A size by itself is at least 0 and, of a slice,
    at most the size of that dimension. Sums, products, quotients that round
    down and the like of such numbers stay expressions. Runs after
    `rewrite-sizes`, before the ops that it reads sizes of are lowered.
    Afterwards all sizes of these ops are expressions over dimensions of
    arguments and numbers that the host reads or decides.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::tilewright::graph::GraphDialect"
  ];
}

def DecomposeLinalg : GraphPass<"decompose-linalg">, Exact {
  let summary = "Writes softmax, pack, unpack and Winograd as simpler ops";
  let description = [{
    Softmax and the Winograd transforms become the ops of MLIR's own
    decomposition. `pack` becomes a padding, a reshape and a transpose; `unpack`
    becomes a transpose, a reshape and a slice. Does not change structured ops.
    Runs before `flatten-control-flow` and `lower-tensor-ops`, which handle the
    ops that it creates.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ExpandSorts : GraphPass<"expand-sorts">, Exact {
  let summary = "Writes sorts of long rows as passes over digits";
  let description = [{
    A `graph.sort` along a dimension of more than 1,024 elements, or of unknown
    size, becomes integer keys that order as its own keys do, a pass for each 8
    bits of a key, least digit first (`graph.digit_counts`, sums of the counts,
    `graph.digit_scatter`), and generics that read each input in the resulting
    order. A kernel holds the rows of other sorts, which do not change.

    A `graph.top_k` that no kernel selects becomes a sort and a slice. Of a long
    row it sorts candidates only: the `k` chunks of the row whose first elements
    in the order come first have the result. Runs before `lower-reshapes`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def InsertsToScatters : GraphPass<"inserts-to-scatters">, Exact {
  let summary = "Writes slices that are inserted in a state as scatters";
  let description = [{
    On the way from a state (an argument with `graph.state`) to its new value
    (the result with `graph.updates`), a `tensor.insert_slice` with strides of 1
    becomes a `graph.scatter "set"`. A kernel of its own writes the slice,
    and in the memory of the state only the slice: its offsets may depend on
    data. Does not change a slice of unknown size along a dimension whose offset
    is not 0. Runs before `lower-tensor-ops` and `lower-slices`, which select
    between old and new elements of the whole tensor.
  }];
  let statistics = [
    Statistic<"replacedCount", "replaced", "slices that became scatters">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::tilewright::graph::GraphDialect"
  ];
}

def LowerTensorOps : GraphPass<"lower-tensor-ops">, Exact {
  let summary = "Writes ops on single elements of tensors as linalg.generic";
  let description = [{
    `splat`, `generate`, `from_elements`, `insert`, `gather`, `scatter` and
    `bitcast` become generics, whose bodies may read scalars from outside. Does
    not change a `from_elements` that holds the sizes of a `tensor.reshape`.
  }];
}

def LowerSlices : GraphPass<"lower-slices">, Exact {
  let summary = "Writes slices and paddings that no tile load does as generics";
  let description = [{
    A tile load can do some slices and paddings; these are not changed. All
    others become generics that read by index: `insert_slice`, which selects
    between its two tensors; `extract_slice` with a negative or dynamic stride,
    or with an offset that depends on data; `pad` with a value that is not
    constant.
  }];
}

def LowerReshapes : GraphPass<"lower-reshapes">, Exact {
  let summary = "Writes expand_shape and collapse_shape as tensor.reshape";
  let description = [{
    The sizes of the result are the elements of a `tensor.from_elements`, as the
    graph level expects. The reshape of a constant is computed at once.
  }];
}

def ElementwiseToGeneric : GraphPass<"elementwise-to-generic">, Exact {
  let summary = "Writes arith and math ops on tensors as linalg.generic";
  let description = [{
    Rewrites ops that apply a scalar op to each element of tensors; an
    `arith.select` may have one condition for all elements. Does not change ops
    on scalars.
  }];
}

def GeneralizeOps : GraphPass<"generalize-ops">, Exact {
  let summary = "Writes linalg's named ops as linalg.generic";
  let description = [{
    Rewrites all structured ops but a `linalg.fill` with a constant of the
    element type. An op on buffers is an error.
  }];
}

def FoldBatchNorm : GraphPass<"fold-batch-norm">,
      Bounded<"a product of rounded weights is not the rounded product of a "
              "scale and a sum"> {
  let summary = "Multiplies weights by the scales of a batch norm";
  let description = [{
    A batch norm computes `scale[c] * x + shift[c]` for each channel c, with
    constants. If its x is the result of an f32 contraction (a convolution, for
    instance) with constant weights, and nothing else reads that result, the
    weights are multiplied by the scale, and only the addition of the shift is
    left. If a bias is added between the two, it becomes part of the shift.

    Scale and shift are computed in double precision from the numbers of the
    model, so that each weight is rounded only once. Therefore this pass runs
    before `fold-constants`. Does not change weights if a product is not finite,
    nor weights of other types. Runs after `generalize-ops`.
  }];
  let statistics = [
    Statistic<"foldedCount", "folded", "batch norms that were folded">
  ];
}

def FoldConstants : GraphPass<"fold-constants">,
      Near<"2^-22",
           "the functions of f32 that MLIR folds are those of the host in "
           "f32, within one unit in the last place"> {
  let summary = "Computes small tensors that depend on no input";
  let description = [{
    An op that reads only constants becomes a constant, if it has few elements
    and they cost little. The elements are computed by the op's own body and its
    dialect's folders. An operand whose elements are all equal moves into the
    body of an elementwise op. Does not fold an op whose elements follow from
    their indices (an iota): it costs nothing to compute again. A `graph.scatter`
    that replaces elements of constants may have many, and so may what a
    reduction of constants adds: the sums of quantized weights. Runs after
    `generalize-ops`, and before `capture-scalars`.
  }];
  let options = [
    Option<"mostElements", "most-elements", "int64_t", /*default=*/"1024",
           "the most elements of a folded tensor">,
    Option<"mostOperations", "most-operations", "int64_t",
           /*default=*/"131072", "the most scalar ops for one tensor">
  ];
  let statistics = [
    Statistic<"foldedCount", "folded", "ops that became constants">
  ];
}

def CaptureScalars : GraphPass<"capture-scalars">, Exact {
  let summary = "Passes scalars to the bodies of generics as operands";
  let description = [{
    The body of a generic may read a scalar from outside, or a scalar operand. A
    constant stays as it is, and so does a size: an expression over the
    dimensions of the arguments. Any other scalar becomes a tensor without
    dimensions, which other generics compute and all iterations read; a generic
    that only makes a tensor of it is replaced by that. What the host reads as a
    `graph.condition` is in memory already. Runs once every op that reads
    scalars is a generic. Afterwards a scalar at function level depends on data
    only if nothing reads it.
  }];
}

def IndicesToIntegers : GraphPass<"indices-to-integers">, Exact {
  let summary = "Makes tensors of index tensors of i64";
  let description = [{
    `index` has no size in memory. Bodies convert where they read and where they
    yield. Runs once every op that computes is a generic.
  }];
}

def SplitResults : GraphPass<"split-results">, Exact {
  let summary = "Splits generics whose results do not accumulate together";
  let description = [{
    A generic with several results becomes one generic for each result that is
    used. One kind stays whole: the results of a reduction that are computed
    from each other's accumulators and are indexed alike, such as a maximum and
    its index. If a parallel result reads the `outs` of another result, this
    becomes an input. Runs once every op that computes is a generic; passes that
    merge equal ops may not run afterwards.
  }];
}

def NormalizeGenerics : GraphPass<"normalize-generics">, Exact {
  let summary = "Gives each linalg.generic the form that kernels are made from";
  let description = [{
    - A loop that indexes all results is parallel; one that indexes none is a
      reduction.
    - Each subscript of a result is a loop of its own. If a constant subscript
      or a diagonal leaves out elements, these keep their values from `outs`.

    Runs after `split-results`: the kinds of loops follow from the indexing of
    the results that are left.
  }];
}

def PushGathers : GraphPass<"push-gathers">, Exact {
  let summary = "Computes gathered elements in the ops that gather them";
  let description = [{
    A body may read single elements of the result of an elementwise op. This
    result must then be in memory, all of it. The pass makes the body compute
    these elements from the op's inputs instead, each element once. Reads of
    such inputs that follow the loops directly become operands.

    It does so for all readers of an op or for none, under three conditions: the
    readers are in its block and do not need more elements than the op has (or it
    makes wider elements of constants: a table of weights that is quantized),
    nothing else needs the result in memory, and computing the elements in each
    reader costs no more than storing and loading them
    (graph/analysis/Recomputation.h). Without the last condition, a value that
    is read in several ways would be computed once for each way, again and again
    along a chain of such ops. Erases ops that are no longer read. Runs
    after `normalize-generics`.
  }];
  let statistics = [
    Statistic<"pushCount", "pushed", "reads that now compute their elements">
  ];
}

def MoveReshapes : GraphPass<"move-reshapes">, Exact {
  let summary = "Moves elementwise ops from a reshape to what it reshapes";
  let description = [{
    A reshape needs its source in memory, so that an elementwise op that reads
    the result is in another kernel than the op that computes the source. If the
    op is a function of one tensor's elements and of scalars, it is computed
    before the reshape, and before transpositions beside it, in the kernel of the
    source. PyTorch exports attentions that scale the keys so: a product, a
    reshape to heads, a transposition, a scale.

    Does not change an op whose elements depend on their indices or are wider
    than those of the source, nor one where something else reads the source, the
    reshape, or what is between. Runs after `push-gathers`.
  }];
  let statistics = [
    Statistic<"movedCount", "moved", "elementwise ops that were moved">
  ];
}

def SplitReductions : GraphPass<"split-reductions">,
      Reassociated<"each part of a reduction is combined on its own"> {
  let summary = "Computes a long reduction in parts, and combines the parts";
  let description = [{
    A reduction with too few results for all programs that a device runs at a
    time becomes two. The first one reduces each part of one loop to a result of
    its own; its loop over the parts is marked `graph.parts`. The second one
    reduces these results in order. The pass splits a reduction only if each
    program still reads 16,384 elements. It does not split contractions,
    windows, prefixes, and reductions along rows that one program may hold for
    the ops that read their results.

    Neighbouring reduction loops become one before, if that is then split and
    the inputs are in memory: the reduction reads reshapes of them, which cost
    nothing. The loop along neighbours in memory becomes one with others only
    if the lengths of all are known. So a batch of one leaves no program
    without work.

    A size that is known only at run time counts as 8,192, that of a result as
    1 if each result is known to have 32,768 elements. A loop of such a size
    is split unless it walks along neighbours in memory. All parts have one
    length; what the last one lacks is padding. The number of parts depends only
    on sizes, not on devices, so that a program has the same steps for all
    targets. Runs after `normalize-generics`.
  }];
  let statistics = [
    Statistic<"splitCount", "split", "reductions in two steps">
  ];
}

def DefineContent : GraphPass<"define-content">, Exact {
  let summary = "Replaces undefined elements that are read by zeros";
  let description = [{
    The elements of a `tensor.empty` and of a `ub.poison` are undefined. If they
    are read or returned, they become zeros. Afterwards a kernel writes each
    tensor that is read.
  }];
}

def InitsToInputs : GraphPass<"inits-to-inputs">, Exact {
  let summary = "Makes outs operands that parallel loops read inputs";
  let description = [{
    Afterwards only a reduction reads its `outs`. Does not change `outs` without
    content, so it runs after `define-content`.
  }];
}

def MoveConcats : GraphPass<"move-concats">, Exact {
  let summary = "Moves elementwise ops from a concatenation to its inputs";
  let description = [{
    If an elementwise op is the only reader of a concatenation, and is more than
    a copy, it becomes one op for each input of the concatenation, and their
    results are concatenated. So a kernel writes each element directly to its
    location in the result, and the first concatenation is not stored. Each new
    op reads its slice of the other operands; if such a slice is an input of
    another concatenation, the op reads that input.

    Does not change an op that reads an element of the concatenation more than
    once, that reads its own index along the concatenated dimension, or that has
    another operand whose size along this dimension is not known. Runs after
    `inits-to-inputs`.
  }];
  let statistics = [
    Statistic<"movedCount", "moved", "concatenations that were moved">
  ];
}

def VerifyGraphForm : GraphPass<"verify-graph-form">, Exact {
  let summary = "Checks the form from which groups are made";
  let description = [{
    Each op whose result is a tensor is one of these: a `linalg.generic` in the
    form that `normalize-generics` leaves; a `linalg.fill` with a constant;
    `pad`, `extract_slice`, `concat`, `reshape`, `cast`, `empty` or
    `from_elements` of the dialect tensor; a constant; a `graph.composite`. A
    body contains only ops of arith and math, and ops that read an index or an
    element. A branch or a loop has the form that `flatten-control-flow` leaves,
    and its regions hold such ops. Runs after all passes that establish this
    form. Changes nothing.
  }];
}

def ResolveSizes : GraphPass<"resolve-sizes">, Exact {
  let summary = "Computes dimensions of tensors from those of the arguments";
  let description = [{
    A `tensor.dim` of a computed tensor becomes an expression over dimensions of
    the function's arguments (`SymbolicShapes`), at the start of the function.
    Where it depends on what a branch or a loop decides, it is an expression
    over dimensions of what that yields or carries, and stands behind it, or in
    its region. Afterwards no size depends on an op that computes elements, so
    groups can contain these ops. Runs on graph form.
  }];
}

def InsertSizeChecks : GraphPass<"insert-size-checks">, Exact {
  let summary = "Adds checks of sizes that are known only at run time";
  let description = [{
    Adds a `graph.check` for each condition on sizes that does not follow from
    the types: a loop has one length for all operands, slices lie within their
    tensors, casts and reshapes keep all elements, and a loop makes steps. A
    `cf.assert` about sizes becomes a check, too. A check stands at the start of
    the function, or of the side of a branch whose ops need it; if its sizes are
    known later, behind what they are known from. Each condition is checked
    once. A condition that cannot hold is an error at the op. Runs on graph
    form, before groups are formed, because groups are isolated from above.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::tilewright::graph::GraphDialect"
  ];
}

def SqueezeSlices : GraphPass<"squeeze-slices">, Exact {
  let summary = "Drops dimensions of one element where a slice is read";
  let description = [{
    A reshape needs its source in memory, so that the slice of a tensor at one
    position, which is reshaped to have no dimension for the position, is a
    kernel of its own: a copy. If the reshape of a slice drops dimensions of one
    element and does nothing else, both become one slice of fewer dimensions,
    which is a load with other bounds in the kernels that read it. Each step of
    a recurrent network reads its part of the inputs so.

    Does not change a reshape that adds dimensions or may exchange open sizes,
    nor one of a slice that something else reads. Runs on graph form, after
    `insert-size-checks`, whose check of the reshape stays, and before
    `form-groups`.
  }];
  let statistics = [
    Statistic<"squeezedCount", "squeezed", "slices that lost dimensions">
  ];
}

def OrderWeights : GraphPass<"order-weights">, Exact {
  let summary = "Puts constant weights in the order in which kernels read them";
  let description = [{
    A convolution's kernel on matrix units reads, for each point of the window, a
    matrix of filters by channels. Weights of [filters, channels, window] have
    its elements the window's size apart. Where the weights are constant, floats
    of 16 bits or integers of 8, or of any type for fewer than 16 channels, their
    elements are put in the order [window, filters, channels], once, so that
    neighbours are read together, if all targets are GPUs with matrix units.

    A vector of a CPU holds neighbours of the result. If all targets are CPUs,
    weights of a product whose neighbours are summed, such as [outputs, inputs],
    become [inputs, outputs], if all that read them are such products. So do
    slices of a constant, such as the weights of a direction or of a gate. Weights
    of convolutions have their windows first, as on GPUs, whatever their type.

    With targets of both kinds weights stay as they are, as a package has one
    copy of them. Runs on graph form, before `form-groups`.
  }];
  let options = [
    Option<"ofF32", "of-f32", "bool", /*default=*/"false",
           "weights of f32, too: a precision lets matrix units multiply them">
  ];
  let statistics = [
    Statistic<"orderedCount", "ordered", "operands that were put in order">
  ];
}

def MarkAttentions : GraphPass<"mark-attentions">, Exact {
  let summary = "Marks the attentions that one kernel computes";
  let description = [{
    Finds two products with a softmax between them (`matchAttention` in
    graph/analysis/AttentionMatch.h) and marks the second one with
    `graph.attention`, if a program can hold the heads and one kernel is faster:
    all targets are GPUs with matrix units, or the scores would leave a CPU's
    caches. `form-groups` then makes one group of them, whose kernel walks
    blocks of keys (graph/lowering/AttentionEmitter.h). Marked products read
    keys and values that a reshape repeats where they are.
  }];
  let options = [
    Option<"always", "always", "bool", /*default=*/"false",
           "also where one kernel is slower">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "write the reason for each that is not marked to graph.no_attention">
  ];
  let statistics = [
    Statistic<"attentionCount", "attentions", "attentions that were marked">
  ];
}

def FormGroups : GraphPass<"form-groups">, Exact {
  let summary = "Puts the ops of each kernel into a graph.group";
  let description = [{
    Decides which ops one kernel computes (`formGroups` in
    graph/analysis/Grouping.h): a root, the ops that work on its tile, and the
    ops that are computed where they are read. The regions of branches and loops
    have groups of their own, which read from memory what is computed outside.
    An attention that `mark-attentions` has marked is one group. A scatter gets
    indices of its own if these follow from sizes, such as the position of a
    loop, and from where they are: its kernels compute them. Afterwards only
    groups and `graph.composite` ops compute elements; between them are
    constants, reshapes, casts and sizes. Runs on graph form, after
    `resolve-sizes` and `insert-size-checks`; no pass that merges or moves ops
    may run afterwards.
  }];
  let options = [
    Option<"explain", "explain", "bool", /*default=*/"false",
           "write the reason for each op to graph.decisions">
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

def MergeRows : GraphPass<"merge-rows">, Exact {
  let summary = "Makes neighbouring open rows of a product one dimension";
  let description = [{
    A program computes a tile of rows of one dimension. If the sizes of two
    dimensions, such as batch and sequence, are known at run time only, the inner
    one may have one element, and most rows of a tile would be outside. Where
    two neighbouring dimensions of a product's result are both its rows (or
    both its columns), the inner one is open, and all tensors of the group have
    them side by side or not at all, they become one: the group reads and
    computes reshapes, which cost nothing. Groups that follow each other
    exchange tensors in the merged shape.

    Does not change attentions, nor groups whose elements depend on an index of
    such a dimension. Runs after `form-groups`.
  }];
  let statistics = [
    Statistic<"mergedCount", "merged", "pairs of dimensions that became one">
  ];
}

#endif
