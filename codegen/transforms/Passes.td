// The passes from the tile level to the scheduled level and within it.
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES
#define TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def AssignSchedules : Pass<"assign-schedules", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Writes each kernel's schedule into the IR";
  let description = [{
    Sets the kernel's attribute `tile.schedule`: the option's schedule, else the
    one that the kernel has, else the default for its work. For a GPU it is
    written with every parameter. Later passes read their parameters from there.
    The module's `tile.target` says whether the schedule is for a CPU or a GPU;
    without a target it is for a GPU. A kernel's own attribute that is no valid
    schedule is left as it is: the pass that reads it rejects it.
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", "",
           "as users write it: \"warps=4 vector_bits=64\"; empty: the default">,
    Option<"explain", "explain", "bool", "false",
           "sets the attribute tilegpu.reason where the default is chosen">
  ];
}

def DistributePrograms : Pass<"distribute-programs",
                              "::tilewright::tile::KernelOp">, Exact {
  let summary = "Changes which tiles each program computes, and in which order";
  let description = [{
    Does what the parameters `group` and `persistent` of the schedule ask for;
    without them it changes nothing. The grid becomes one dimension, and a
    program computes its indices from its number.

    With `group = h`, h programs along the second dimension follow each other
    before the first index advances. So programs that run at the same time share
    more of what they read. With `persistent = n` the body becomes a loop over
    tile numbers, with the number of running programs as its step, and the
    kernel gets the attribute `tile.persistent = n`. A kernel that already has
    this attribute contains the loop: only the attribute changes. Runs after
    `assign-schedules`, at the tile level.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def AddVariants : Pass<"add-variants">, Exact {
  let summary = "Adds variants of kernels for launches that allow faster code";
  let description = [{
    Runs on an op whose region has a module for each kernel. It puts a copy, a
    *variant*, before a kernel in two cases. In a variant with `tile.variant =
    "wide"`, the rows and strides of unknown size are multiples of the widest
    access, so the kernel loads or stores more at once. In a variant with
    "disjoint", two arguments share no memory: for kernels with a loop that
    loads from one argument and writes another. A variant assumes these facts,
    so its manifest has guards. A launch takes the first kernel of a name whose
    guards hold. Runs after `split-kernels`, before code generation.
  }];
  let statistics = [
    Statistic<"variantCount", "variants", "kernels added">
  ];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def AssumeAlignment : Pass<"assume-alignment", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Assumes that views are aligned to 16 bytes, workspaces to 64";
  let description = [{
    Adds `tile.align = 16` to each view argument without an assumption about its
    alignment, because wide accesses of a GPU need it. The guards of the
    manifest check it at each launch. A workspace is aligned to 64 bytes, by the
    runtime.
  }];
}

def ChooseInstructions
    : Pass<"choose-instructions", "::tilewright::tile::KernelOp">, Exact {
  let summary = "Chooses the instruction of each dot";
  let description = [{
    Runs at the tile level. Writes on each `tile.dot` as `tilegpu.instruction`
    the matrix instruction of the target (codegen/target/MatrixInstructions.inc)
    that takes its types and divides its shape, or "fma" with the reason as
    `tilegpu.reason`. A dot of f32 that were all extended from one 16-bit type
    becomes a dot of that type if an instruction takes it: products are the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tilegpu::TileGpuDialect"];
}

def LegalizeDots : Pass<"legalize-dots", "::tilewright::tile::KernelOp">,
      Reassociated<"a dot leaves the order of its sum open"> {
  let summary = "Gives dots element types that threads can multiply";
  let description = [{
    Runs at the tile level, on dots without a matrix instruction. Operands with
    elements of less than a byte become i8, 8-bit floats become f16; both are
    exact. A `tile.scaled_dot`
    becomes a dot of scaled f32. Afterwards there is no `tile.scaled_dot`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NarrowFloats : Pass<"narrow-floats", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Computes f16 and bf16 in their own type";
  let description = [{
    Runs at the tile level. Frontends extend f16 and bf16 to f32, compute, and
    round. A sum, difference, product, negation, absolute value, minimum or
    maximum of extended tiles (and of constants that the narrow type can hold)
    becomes an op of the narrow type, if the wide result has no other use. The
    result is the same, and a thread computes two at a time. Runs before
    `assign-layouts`, which prices the ops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"assign-layouts", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Gives each tile a layout";
  let description = [{
    From here on a kernel is at the scheduled level. The type of each tile has a
    layout, and the layouts of each op's tiles satisfy the op's relation
    (LayoutRelations.h). The layouts are those with the least price that the
    search of docs/layouts.md finds. Dots propose the layouts of their
    accumulators. Loads and stores propose wide, coalesced accesses, also with
    reduced rows within a warp. If two layouts differ at a use, a
    `tilegpu.convert_layout` is inserted, before the loops outside of which its
    tile is defined. Tiles that cost nothing to compute (constants, splats,
    iotas) are computed again instead, and so are loads and elementwise ops
    where that costs less.

    Repeats are dealt to warps (docs/layouts.md) if all ops of the kernel work
    on such layouts; only separable repeats if it reduces. If the number of
    warps is no power of two, warps can share a tile only by dealt repeats; in a
    kernel with dots they hold copies. An op that acts once for each element (a
    store, an atomic) gets a layout in which a thread owns its elements in all
    rounds or in none.

    The kernel's `tile.schedule` has the number of warps of a block and the most
    bits that a thread loads or stores at once; a parameter that it omits has
    its default. Calls must be inlined. Rejects ops that have no lowering to
    threads.
  }];
  let options = [
    Option<"explain", "explain", "bool", "false",
           "write the choice and its prices into the kernel's attribute "
           "tilegpu.layouts">
  ];
  let statistics = [
    Statistic<"numConversions", "num-conversions",
              "Number of conversions inserted">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def LowerDots : Pass<"lower-dots", "::tilewright::tile::KernelOp">,
      Bounded<"a matrix unit truncates what it adds, within the bound of "
              "tile.dot"> {
  let summary = "Moves operands of dots to shared memory";
  let description = [{
    Replaces `tile.dot` by `tilegpu.mma`, if its accumulators are fragments of
    its instruction, else by `tilegpu.dot`. Their operands are in shared memory.
    lhs of `tilegpu.mma` is in registers where threads hold its fragments, as
    those of accumulators are that were rounded; and where a loop does not
    change it and a thread can hold it: then it is loaded before the loop.
    Runs after `legalize-dots` and `assign-layouts`. Afterwards there is no
    `tile.dot`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def LowerSorts : Pass<"lower-sorts", "::tilewright::tile::KernelOp">, Exact {
  let summary = "Sorts by a bitonic network";
  let description = [{
    Replaces `tile.sort` and `tile.top_k` by a bitonic network. Each key becomes
    an unsigned number of the same order, with its index in the low bits. So no
    two numbers are equal, the sort is stable, and the network moves only these
    numbers. At the end the inputs are gathered at the sorted indices. Elements
    of one warp are exchanged by `tilegpu.exchange`, elements of several warps
    through shared memory. A long network becomes a loop through shared memory.
    Runs after `assign-layouts`, before `lower-movements`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerMovements : Pass<"lower-movements", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Moves elements through shared memory that no layout can move";
  let description = [{
    Replaces `tile.gather` and `tile.histogram` by accesses to shared memory,
    and also each `tile.slice`, `tile.concat` and `tile.reshape` that does more
    than select registers. A tile is stored whole, or into its part of a larger
    tile, and the elements are read from their new locations. All slices of a
    tile in a block read one copy of it, whose rows begin in different banks.
    Does not change slices that leave each element in its thread, if the result
    has the layout that follows. Runs after `assign-layouts` and `lower-sorts`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect",
                           "::mlir::arith::ArithDialect"];
}

def LowerScans : Pass<"lower-scans", "::tilewright::tile::KernelOp">,
      Reassociated<"warps scan their parts on their own"> {
  let summary = "Splits scans into steps within warps";
  let description = [{
    Replaces `tile.scan` by `tilegpu.scan`. If several warps share a fiber, each
    first gets the totals of all these warps. Runs after `assign-layouts`.
    Afterwards there is no `tile.scan`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def LowerReductions : Pass<"lower-reductions",
                            "::tilewright::tile::KernelOp">,
      Reassociated<"warps reduce their parts on their own"> {
  let summary = "Splits reductions into steps within warps";
  let description = [{
    Replaces `tile.reduce` by `tilegpu.reduce`, which reduces within each warp.
    If several warps hold parts of a fiber, a `tilegpu.convert_layout` brings
    their results together, and these are reduced again. Runs after
    `assign-layouts`. Afterwards there is no `tile.reduce`. The shuffles of a
    `tilegpu.reduce` are emitted by `convert-tilegpu-to-threads`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def PipelineLoops : Pass<"pipeline-loops", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Starts loads to shared memory iterations ahead";
  let description = [{
    In each `scf.for`, the loads of views whose tiles are only stored in shared
    memory are started some iterations earlier. The memory becomes a ring with a
    slot for each stage, and the loads become asynchronous copies (cp.async). An
    iteration waits for its copies, starts those of a later one and computes.
    Copies of iterations that do not exist are not live. Behind the loop none is
    under way.

    Loads that cp.async cannot copy (too few contiguous bytes, padding that is
    not zero) go through registers: the loop carries the tile of the next
    iteration. All other loads stay as they are, with the reason as
    `tilegpu.reason`: their elements feed other ops, their address depends on
    the iteration before, or the loop may write what they load.

    `stages` of the schedule is the number of slots. By default it is the most,
    up to 4 and up to the number of iterations, with which a multiprocessor still
    holds as many blocks. Runs after all passes that store loaded tiles in shared
    memory, and before `lower-conversions`: a copy needs no conversion.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tilegpu::TileGpuDialect"];
  let statistics = [Statistic<"numPipelined", "loops", "Pipelined loops">];
}

def LowerConversions : Pass<"lower-conversions",
                             "::tilewright::tile::KernelOp">, Exact {
  let summary = "Moves tiles between warps through shared memory";
  let description = [{
    Replaces each `tilegpu.convert_layout` that moves values between warps by an
    allocation in shared memory, a store and a load. Does not change conversions
    that registers and shuffles can do. Runs after all passes that create
    conversions, and before `insert-barriers`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def BroadcastResults : Pass<"broadcast-results",
                            "::tilewright::tile::KernelOp">, Exact {
  let summary = "Gives results of one thread to all threads";
  let description = [{
    Only the thread that owns an element performs an atomic or a load with an
    order. If other threads hold copies of the result, they get it through
    shared memory. A scalar must be the same in all threads, so that they branch
    in the same way: a scalar access becomes an access to a tile of one element
    that all threads hold, and an extracted element goes to all threads in the
    same way. Runs after `assign-layouts`, and before `insert-barriers`.
  }];
  let statistics = [
    Statistic<"numBroadcasts", "num-broadcasts",
              "Number of results that go through shared memory">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def AllocateShared : Pass<"allocate-shared", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Gives tiles their offsets in shared memory";
  let description = [{
    Gives each `tilegpu.alloc` its offset. Two tiles that are not live at the
    same time share memory only if the block would otherwise take more than its
    share of a multiprocessor's memory, because reused memory needs a barrier.
    The kernel's attribute `tilegpu.shared` gets the number of bytes. Runs once,
    after all allocations are created.
  }];
}

def InsertBarriers : Pass<"insert-barriers", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Inserts barriers between accesses to memory";
  let description = [{
    Inserts `tilegpu.barrier` before an access to shared memory that must be
    ordered after an earlier one: both access the same bytes, at least one of
    them is a write, and there is no barrier between them. Stores to disjoint
    parts of one tile need no barrier. In a loop, the accesses of the previous
    iteration count, too.

    Global memory is treated in the same way, because its accesses have program
    order at the tile level: accesses through one argument, or through pointers,
    need a barrier unless each thread only accesses its own elements. A release
    (an access or a fence) follows all earlier accesses to global memory by any
    thread; an acquire precedes all later ones. Runs after `allocate-shared`:
    tiles that share memory need barriers, too.
  }];
  let statistics = [
    Statistic<"numBarriers", "num-barriers", "Number of barriers set">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def VerifyScheduledForm
    : Pass<"verify-scheduled-form", "::tilewright::tile::KernelOp">, Exact {
  let summary = "Checks the form at the end of the scheduled level";
  let description = [{
    Checks what code generation for threads expects. Each tile has a layout.
    Dots, sorts, movements, scans and reductions are replaced. A conversion of
    layouts stays within its warp. Each `tilegpu.alloc` has an offset, within
    the bytes of the kernel's `tilegpu.shared`. The layouts of each op's tiles
    satisfy the op's relation (LayoutRelations.h):

    - The tiles of an elementwise op have one layout. So has a tile that a loop
      carries, under all of its names.
    - Of a broadcast or transpose, the layout of the operand follows from that
      of the result.
    - Of a reshape, join, split or slice, the layout of the result follows from
      that of the operand, and of a concatenation the other way round: such an
      op only selects registers, because `lower-movements` replaced the others.
    - An op that acts once for each element has a layout in which a thread owns
      its elements in all rounds of dealt repeats or in none. A tile that is
      loaded or stored has a cell with separable bits.
    - A kernel with a `tilegpu.dot` has no dealt repeats.

    Changes nothing. An error is at the op, with the layout that was expected
    and the one that was found.
  }];
}

#endif
