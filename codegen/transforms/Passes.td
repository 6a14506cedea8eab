// The passes from the tile level to the scheduled level and within it.
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES
#define TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AssignSchedules : Pass<"assign-schedules", "::tilewright::tile::KernelOp"> {
  let summary = "Writes each kernel's schedule into the IR";
  let description = [{
    Sets the kernel's attribute `tile.schedule`: the option's, else the one that
    the kernel has, else the default of its work; for a GPU with each parameter
    that it leaves out. What later passes choose they read from there. The
    module's `tile.target` says whether it is that of a CPU or of a GPU; without
    one it is a GPU's. A kernel's own attribute that is no such schedule stays:
    the pass that reads it rejects it.
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", "",
           "as users write it: \"warps=4 vector_bits=64\"; empty: the default">,
    Option<"explain", "explain", "bool", "false",
           "sets the attribute tilegpu.reason where the default is chosen">
  ];
}

def DistributePrograms : Pass<"distribute-programs",
                              "::tilewright::tile::KernelOp"> {
  let summary = "Gives each program that runs its tiles";
  let description = [{
    Does what the schedule's `group` and `persistent` ask for; without them it
    changes nothing. The grid becomes one dimension, and a program's indices are
    computed from its number: with `group = h`, h programs along the second
    dimension follow each other before the first one advances, so that programs
    that run at the same time share more of what they read. With `persistent = n`
    the body becomes a loop over the numbers, in steps of the programs that run,
    and the kernel gets `tile.persistent = n`. A kernel that has that attribute
    loops already: only the attribute changes. Runs after `assign-schedules`, at
    the tile level.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def AddVariants : Pass<"add-variants"> {
  let summary = "Kernels for launches that allow faster code";
  let description = [{
    Runs on an op whose region has a module for each kernel. Puts a copy before
    each kernel that could load or store more at once if the rows and strides
    whose size is open were multiples of the widest access (its `tile.variant` is
    "wide"), or that has a loop which loads from one argument and writes another
    ("disjoint": they share no memory). The copy assumes what helps, and so its
    manifest has guards: a launch takes the first kernel of a name whose guards
    hold. Runs after `split-kernels`, before code generation.
  }];
  let statistics = [
    Statistic<"variantCount", "variants", "kernels added">
  ];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def AssumeAlignment : Pass<"assume-alignment", "::tilewright::tile::KernelOp"> {
  let summary = "Takes views to be aligned to 16 bytes, workspaces to 64";
  let description = [{
    Gives each view argument that has no assumption the assumption `tile.align`,
    which wide accesses of a GPU's memory rely on. The guards of the manifest
    demand it of each launch. The runtime aligns a workspace.
  }];
}

def LegalizeDots : Pass<"legalize-dots", "::tilewright::tile::KernelOp"> {
  let summary = "Dots of elements that threads multiply";
  let description = [{
    Runs at the tile level. Operands of dots of less than a byte become i8,
    8-bit floats f16, exactly; a `tile.scaled_dot` becomes a dot of scaled f32.
    No `tile.scaled_dot` is left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NarrowFloats : Pass<"narrow-floats", "::tilewright::tile::KernelOp"> {
  let summary = "Arithmetic of f16 and bf16 in their own type";
  let description = [{
    Runs at the tile level. Frontends extend floats of 16 bits to f32, compute
    and round. Sums, differences, products, negations, absolute values, minima
    and maxima of extended tiles, and of constants that the type has, become
    ops of that type where the wide result has no other use: the result is the
    same, and a thread computes two at a time. Before `assign-layouts`, which
    prices the ops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"assign-layouts", "::tilewright::tile::KernelOp"> {
  let summary = "Gives each tile a layout";
  let description = [{
    From here on a kernel is at the scheduled level: each tile's type has a
    layout, and what an op demands of the layouts of its tiles holds. The
    choice is the cheapest by price, as docs/layouts.md says: dots propose
    their accumulators, loads and stores wide, coalesced accesses, also such
    that keep reduced rows within a warp; `tilegpu.convert_layout` stands where
    two do not meet, before the loops that the tile is defined outside of.
    Tiles that cost nothing to make (constants, splats, iotas) are made again
    instead, and so are loads and elementwise ops where that costs less.

    Repeats are dealt to warps (docs/layouts.md) where all ops of the kernel
    work on such layouts; only separable ones where it reduces. Warps that are
    no power of two share tiles only so, and hold copies in a kernel with dots.
    An op that acts once for each element (a store, an atomic) gets a layout in
    which a thread owns its elements in all rounds or in none.

    The kernel's `tile.schedule` says how many warps a block has, and how many
    bits a thread loads or stores at once; what it leaves out is the default.
    Calls must be inlined. Rejects ops that have no lowering to threads yet.
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

def LowerDots : Pass<"lower-dots", "::tilewright::tile::KernelOp"> {
  let summary = "Operands of dots to shared memory";
  let description = [{
    Replaces `tile.dot` by `tilegpu.dot` on operands that are stored to shared
    memory. Runs after `legalize-dots`, and after layouts are assigned; no
    `tile.dot` is left.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def LowerSorts : Pass<"lower-sorts", "::tilewright::tile::KernelOp"> {
  let summary = "Sorts by exchanges of neighbours, one distance after another";
  let description = [{
    Replaces `tile.sort` and `tile.top_k` by a bitonic network. Each key becomes
    an unsigned number of the same order, and with its index behind it no two
    are equal: so the network is stable, and what it moves are these numbers
    alone. The inputs are gathered at the indices that come out. Elements of one
    warp meet by `tilegpu.exchange`, those of several through shared memory.
    Where the network would be long it is a loop through shared memory.
    Runs after layouts are assigned, before gathers and slices are expanded.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerMovements : Pass<"lower-movements", "::tilewright::tile::KernelOp"> {
  let summary = "Moves elements that no layout moves through shared memory";
  let description = [{
    Replaces `tile.gather` and `tile.histogram`, and those of `tile.slice`,
    `tile.concat` and `tile.reshape` that are more than a choice of registers, by
    shared memory: tiles are stored whole or into their part of a larger one, and
    elements are read from where they are. Slices that leave each element in its
    thread stay, with the layout that this gives. Runs after layouts are assigned and sorts
    expanded.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect",
                           "::mlir::arith::ArithDialect"];
}

def LowerScans : Pass<"lower-scans", "::tilewright::tile::KernelOp"> {
  let summary = "Scans by steps within warps";
  let description = [{
    Replaces `tile.scan` by `tilegpu.scan`. Where several warps share a fiber,
    each gets the totals of all of them first. Runs after layouts are assigned;
    no `tile.scan` is left.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def LowerReductions : Pass<"lower-reductions",
                            "::tilewright::tile::KernelOp"> {
  let summary = "Splits reductions into steps within warps";
  let description = [{
    Replaces `tile.reduce` by `tilegpu.reduce`, within warps. Where several
    warps hold parts, their results are brought together by a conversion and
    reduced again. Runs after layouts are assigned; no `tile.reduce` is left.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def LowerConversions : Pass<"lower-conversions",
                             "::tilewright::tile::KernelOp"> {
  let summary = "Moves tiles between warps through shared memory";
  let description = [{
    Replaces each `tilegpu.convert_layout` whose values must leave their warp
    by shared memory: allocation, store, load. Conversions that registers and
    shuffles can do stay. Runs after everything that makes conversions;
    barriers are not set yet.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def BroadcastResults : Pass<"broadcast-results",
                            "::tilewright::tile::KernelOp"> {
  let summary = "Gives all threads what one of them has";
  let description = [{
    An atomic, and a load with an order, is done by the one thread that owns
    the element; others may hold copies of its result, and get them through
    shared memory. A scalar access becomes one of a tile of one element that
    all threads hold: a scalar is the same for all threads, so that conditions
    stay uniform. An element that is extracted goes to all threads the same
    way. Runs after layouts are assigned; barriers are not set yet.
  }];
  let statistics = [
    Statistic<"numBroadcasts", "num-broadcasts",
              "Number of results that go through shared memory">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def AllocateShared : Pass<"allocate-shared", "::tilewright::tile::KernelOp"> {
  let summary = "Places tiles in shared memory";
  let description = [{
    Gives each `tilegpu.alloc` its offset. Tiles that are not alive together
    share memory only where a block would else take more than its share of a
    multiprocessor's: memory that is used again needs a barrier. The kernel's attribute `tilegpu.shared` says how many bytes
    there are. Runs once, after all allocations are made.
  }];
}

def InsertBarriers : Pass<"insert-barriers", "::tilewright::tile::KernelOp"> {
  let summary = "Sets barriers between accesses of memory";
  let description = [{
    Sets `tilegpu.barrier` before each access of shared memory that must see,
    or must not overtake, an access since the last barrier: the same bytes, one
    of the two a write; not between stores to parts of one tile that have no
    element in common. In a loop the accesses of the iteration before count. The
    same for global memory, whose accesses have program order at the tile
    level: accesses through one argument, or through pointers, unless each
    thread meets its own only. An access or a fence that releases comes after
    all accesses of global memory before it, by any thread; one that acquires
    comes before all that follow. Runs after offsets are given: tiles that share
    memory need barriers too.
  }];
  let statistics = [
    Statistic<"numBarriers", "num-barriers", "Number of barriers set">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGpuDialect"];
}

def VerifyScheduledForm
    : Pass<"verify-scheduled-form", "::tilewright::tile::KernelOp"> {
  let summary = "The last form of the scheduled level";
  let description = [{
    What code of threads is made of: each tile has a layout; what was expanded
    (dots, sorts, movements, scans, reductions) is gone; a conversion of layouts
    stays within its warp; each `tilegpu.alloc` has its place, within the bytes
    that the kernel's `tilegpu.shared` says. Changes nothing; an error names the
    op.
  }];
}

#endif
