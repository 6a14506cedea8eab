// The ops of the scheduled level.
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_TILEGPUOPS
#define TILEWRIGHT_CODEGEN_TILEGPU_TILEGPUOPS

include "codegen/tilegpu/TileGpuDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tileir/ir/TileInterfaces.td"
include "tileir/ir/TileTypes.td"

class TileGpu_Op<string mnemonic, list<Trait> traits = []>
    : Op<TileGpu_Dialect, mnemonic, traits>;

/// Shared memory as a resource: its accesses are ordered among themselves.
def TileGpu_SharedMemory : Resource<"::tilewright::tilegpu::SharedMemory">;

def TileGpu_LaidOutTile : Type<
  CPred<"::tilewright::tilegpu::hasLayout($_self)">,
  "tile with a layout", "::mlir::RankedTensorType">;

def TileGpu_ConvertLayoutOp : TileGpu_Op<"convert_layout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "The same tile, held by other threads";
  let description = [{
    ```mlir
    %y = tilegpu.convert_layout %x
        : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #columns>
    ```
  }];
  let arguments = (ins TileGpu_LaidOutTile:$source);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` type($result)
  }];
  let hasFolder = 1;
}

def TileGpu_ReduceOp : TileGpu_Op<"reduce", [Tile_Combining,
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Combines the elements that each warp holds, along one dimension";
  let description = [{
    Like `tile.reduce`, but only within each warp. The dimension stays, with one
    element for each warp that shares a fiber. The results have the layout that
    `warpReduction` derives.

    ```mlir
    %r = tilegpu.reduce %x axis 1 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tilegpu.yield %s : f32
    } : tensor<8x1024xf32, #x> -> tensor<8x4xf32, #r>
    ```
  }];
  let arguments = (ins Variadic<TileGpu_LaidOutTile>:$inputs, I64Attr:$axis);
  let results = (outs Variadic<TileGpu_LaidOutTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $inputs `axis` $axis $combiner attr-dict
    `:` type($inputs) `->` type($results)
  }];
  let hasVerifier = 1;
}

def TileGpu_ScanOp : TileGpu_Op<"scan", [Tile_Combining,
    RecursiveMemoryEffects, RecursivelySpeculatable, AttrSizedOperandSegments,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "All partial combinations along one dimension";
  let description = [{
    Like `tile.scan`, on tiles whose fibers along the dimension go through
    registers, lanes and warps in ascending order. If warps share a fiber,
    `totals` is the result of `tilegpu.reduce` on the inputs; each thread holds
    all of it. A warp combines the totals of the warps before it.

    ```mlir
    %y = tilegpu.scan %x totals %t axis 1 reverse {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tilegpu.yield %s : f32
    } : tensor<8x1024xf32, #x> totals tensor<8x4xf32, #t>
        -> tensor<8x1024xf32, #x>
    ```
  }];
  let arguments = (ins Variadic<TileGpu_LaidOutTile>:$inputs,
    Variadic<TileGpu_LaidOutTile>:$totals, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<TileGpu_LaidOutTile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $inputs (`totals` $totals^)? `axis` $axis (`reverse` $reverse^)? $combiner
    attr-dict `:` type($inputs) (`totals` type($totals)^)? `->` type($results)
  }];
  let hasVerifier = 1;
}

def TileGpu_YieldOp : TileGpu_Op<"yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["ReduceOp", "ScanOp", "CopyOp"]>]> {
  let summary = "What the region of a reduction, scan or copy computes";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def TileGpu_CoordinateOp : TileGpu_Op<"coordinate", [Pure]> {
  let summary = "The index of each element along one dimension";
  let description = [{
    ```mlir
    %c = tilegpu.coordinate axis 1 : tensor<64x32xi32, #x>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = "`axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileGpu_ExchangeOp : TileGpu_Op<"exchange", [
    Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "Exchanges elements within a warp";
  let description = [{
    Element `i` of the result along the dimension is element `i xor mask` of
    the source; it is poison if the tile has no such element. Both elements are
    always in one warp.

    ```mlir
    %y = tilegpu.exchange %x axis 1 mask 7 : tensor<64x32xi64, #x>
    ```
  }];
  let arguments = (ins TileGpu_LaidOutTile:$source, I64Attr:$axis,
                       I64Attr:$mask);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = [{
    $source `axis` $axis `mask` $mask attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

//===--- Shared memory ----------------------------------------------------===//

def TileGpu_MemoryIdentity : OpInterface<"MemoryIdentityOpInterface"> {
  let cppNamespace = "::tilewright::tilegpu";
  let description = [{
    Names shared memory: an allocation, or a slot of one. All operands that are
    shared memory are results of such ops.
  }];
  let methods = [
    InterfaceMethod<"The allocation.", "::mlir::TypedValue<SharedType>",
                    "getRoot">,
    InterfaceMethod<"The number of the slot; null: the whole allocation.",
      "::mlir::Value", "getSlotNumber">];
}

def TileGpu_AllocOp : TileGpu_Op<"alloc", [
    MemoryEffects<[MemAlloc<TileGpu_SharedMemory>]>,
    DeclareOpInterfaceMethods<TileGpu_MemoryIdentity>]> {
  let summary = "Shared memory for a tile, or for a ring of tiles";
  let description = [{
    Each execution of the op returns the same memory. It begins `offset` bytes
    after the start of the block's shared memory; `allocate-shared` sets the
    offset.

    ```mlir
    %m = tilegpu.alloc offset 1024 : !tilegpu.shared<64x32xf32, #mem>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs TileGpu_Shared:$result);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` type($result)";
}

/// A tile in shared memory that is no ring.
def TileGpu_SharedTile : Type<
  And<[TileGpu_Shared.predicate,
       CPred<"::llvm::cast<::tilewright::tilegpu::SharedType>($_self)"
             ".getSlots() == 1">]>,
  "a tile in shared memory, not a ring",
  "::tilewright::tilegpu::SharedType">;

/// Shared memory that an op reads, or writes.
def TileGpu_SharedRead
    : Arg<TileGpu_SharedTile, "memory that is read",
          [MemRead<TileGpu_SharedMemory>]>;
def TileGpu_SharedWrite
    : Arg<TileGpu_SharedTile, "memory that is written",
          [MemWrite<TileGpu_SharedMemory>]>;
def TileGpu_SharedUpdate
    : Arg<TileGpu_SharedTile, "memory that is read and written",
          [MemRead<TileGpu_SharedMemory>, MemWrite<TileGpu_SharedMemory>]>;

/// Of a tile in shared memory: element `i` of the tile is element
/// `offsets + i * steps` of the memory. Empty: 0, and 1.
defvar TileGpu_Window = (ins
  DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$offsets,
  DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps);

class TileGpu_WindowOp<string mnemonic> : TileGpu_Op<mnemonic> {
  let extraClassDeclaration = [{
    /// Whether the op accesses a part of the memory only.
    bool hasWindow() { return !getOffsets().empty() || !getSteps().empty(); }
    /// Where the window begins along `dim`, and its step.
    int64_t getFirst(int64_t dim) {
      return getOffsets().empty() ? 0 : getOffsets()[dim];
    }
    int64_t getStep(int64_t dim) {
      return getSteps().empty() ? 1 : getSteps()[dim];
    }
  }];
  let hasVerifier = 1;
}

def TileGpu_StoreSharedOp : TileGpu_WindowOp<"store_shared"> {
  let summary = "Writes a tile to shared memory, or to a part of it";
  let description = [{
    ```mlir
    tilegpu.store_shared %x, %m
        : tensor<64x32xf32, #x>, !tilegpu.shared<64x32xf32, #mem>
    tilegpu.store_shared %x, %m at [0, 8]
        : tensor<64x24xf32, #x>, !tilegpu.shared<64x32xf32, #mem>
    ```
  }];
  let arguments = !con((ins TileGpu_LaidOutTile:$value,
                            TileGpu_SharedWrite:$memory), TileGpu_Window);
  let assemblyFormat = [{
    $value `,` $memory (`at` $offsets^)? (`step` $steps^)? attr-dict
    `:` type($value) `,` qualified(type($memory))
  }];
}

def TileGpu_StoreElementOp : TileGpu_Op<"store_element"> {
  let summary = "Writes one element of a tile to shared memory";
  let description = [{
    The memory holds one element. If an index is outside the tile, the content
    of the memory afterwards is not specified.

    ```mlir
    tilegpu.store_element %x[%i, %j], %m
        : tensor<64x32xf32, #x>, !tilegpu.shared<1xf32, #mem>
    ```
  }];
  let arguments = (ins TileGpu_LaidOutTile:$value, Variadic<Index>:$indices,
                       TileGpu_SharedWrite:$memory);
  let assemblyFormat = [{
    $value `[` $indices `]` `,` $memory attr-dict
    `:` type($value) `,` qualified(type($memory))
  }];
  let hasVerifier = 1;
}

def TileGpu_LoadSharedOp : TileGpu_WindowOp<"load_shared"> {
  let summary = "Reads a tile from shared memory, or from a part of it";
  let description = [{
    ```mlir
    %y = tilegpu.load_shared %m
        : !tilegpu.shared<64x32xf32, #mem> -> tensor<64x32xf32, #y>
    %z = tilegpu.load_shared %m at [0, 1] step [1, 3]
        : !tilegpu.shared<64x32xf32, #mem> -> tensor<64x10xf32, #z>
    ```

    Dense memory may be read as a tile of another shape, in row-major order.

    ```mlir
    %w = tilegpu.load_shared %m
        : !tilegpu.shared<64x32xf32, #mem> -> tensor<2048xf32, #w>
    ```
  }];
  let arguments = !con((ins TileGpu_SharedRead:$memory), TileGpu_Window);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = [{
    $memory (`at` $offsets^)? (`step` $steps^)? attr-dict
    `:` qualified(type($memory)) `->` type($result)
  }];
}

def TileGpu_GatherSharedOp : TileGpu_Op<"gather_shared"> {
  let summary = "Reads elements at indices along one dimension";
  let description = [{
    For axis 0, `result[i, j] = memory[indices[i, j], j]`. An element of the
    result is poison if its index is outside the memory.

    ```mlir
    %y = tilegpu.gather_shared %m, %i axis 0
        : !tilegpu.shared<64x8xf32, #mem>, tensor<16x8xi32, #y>
          -> tensor<16x8xf32, #y>
    ```
  }];
  let arguments = (ins TileGpu_SharedRead:$memory, TileGpu_LaidOutTile:$indices,
                       I64Attr:$axis);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = [{
    $memory `,` $indices `axis` $axis attr-dict
    `:` qualified(type($memory)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGpu_CountSharedOp : TileGpu_Op<"count_shared"> {
  let summary = "Counts numbers in shared memory";
  let description = [{
    For each element of the tile that is `n`, adds 1 to element `n` of the
    memory, where `mask` is true. Numbers beyond the memory are not counted.

    ```mlir
    tilegpu.count_shared %x, %m mask %k
        : tensor<256xi32, #x>, !tilegpu.shared<16xi32, #mem> mask
          tensor<256xi1, #x>
    ```
  }];
  let arguments = (ins TileGpu_LaidOutTile:$numbers, TileGpu_SharedUpdate:$memory,
                       Optional<TileGpu_LaidOutTile>:$mask);
  let assemblyFormat = [{
    $numbers `,` $memory (`mask` $mask^)? attr-dict
    `:` type($numbers) `,` qualified(type($memory)) (`mask` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def TileGpu_DotOp : TileGpu_Op<"dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Contraction of two tiles in shared memory";
  let description = [{
    Like `tile.dot`. Each thread computes the accumulators that it holds, with
    multiplications and additions.

    ```mlir
    %r = tilegpu.dot %a, %b, %acc
        : !tilegpu.shared<64x32xf32, #a>, !tilegpu.shared<32x96xf32, #b>
        -> tensor<64x96xf32, #acc>
    ```
  }];
  let arguments = (ins TileGpu_SharedRead:$lhs, TileGpu_SharedRead:$rhs,
    TileGpu_LaidOutTile:$acc,
    DefaultValuedAttr<Tile_DotPrecision,
                      "::tilewright::tile::DotPrecision::ieee">:$precision,
    UnitAttr:$lhsUnsigned, UnitAttr:$rhsUnsigned);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $precision^)?
    (`lhs_unsigned` $lhsUnsigned^)? (`rhs_unsigned` $rhsUnsigned^)? attr-dict
    `:` qualified(type($lhs)) `,` qualified(type($rhs)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGpu_MmaOp : TileGpu_Op<"mma", [
    AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Contraction of two tiles by a matrix instruction";
  let description = [{
    Like `tile.dot`. The accumulators are in fragments of the instruction, a row
    of codegen/target/MatrixInstructions.inc. Each warp loads its fragments from
    shared memory; those of lhs may be in its registers. Operands of f32 are
    rounded, or split into parts, in registers, as the precision says.

    ```mlir
    %r = tilegpu.mma "mma.m16n8k16.f16" %a, %b, %acc
        : !tilegpu.shared<64x32xf16, #a>, !tilegpu.shared<32x96xf16, #b>
        -> tensor<64x96xf32, #acc>
    ```
  }];
  let arguments = (ins StrAttr:$instruction,
    AnyTypeOf<[TileGpu_SharedTile, TileGpu_LaidOutTile]>:$lhs,
    TileGpu_SharedTile:$rhs, TileGpu_LaidOutTile:$acc,
    DefaultValuedAttr<Tile_DotPrecision,
                      "::tilewright::tile::DotPrecision::ieee">:$precision,
    UnitAttr:$lhsUnsigned, UnitAttr:$rhsUnsigned);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = [{
    $instruction $lhs `,` $rhs `,` $acc (`precision` $precision^)?
    (`lhs_unsigned` $lhsUnsigned^)? (`rhs_unsigned` $rhsUnsigned^)? attr-dict
    `:` qualified(type($lhs)) `,` qualified(type($rhs)) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Where lhs is in shared memory; null if it is in registers.
    ::mlir::TypedValue<SharedType> getLhsMemory() {
      return ::llvm::dyn_cast<::mlir::TypedValue<SharedType>>(getLhs());
    }
    /// The positions of k.
    int64_t getDepth() { return getRhs().getType().getShape().end()[-2]; }
  }];
}

//===--- Rings and copies -------------------------------------------------===//

def TileGpu_SlotOp : TileGpu_Op<"slot", [
    Pure, DeclareOpInterfaceMethods<TileGpu_MemoryIdentity>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "One tile of a ring in shared memory";
  let description = [{
    The number is from 0 to less than the number of slots.

    ```mlir
    %m = tilegpu.slot %ring[%n] : !tilegpu.shared<64x32xf32, #mem, slots = 3>
    ```
  }];
  let arguments = (ins TileGpu_Shared:$ring, I32:$number);
  let results = (outs TileGpu_SharedTile:$result);
  let assemblyFormat = [{
    $ring `[` $number `]` attr-dict `:` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def TileGpu_AdvanceOp : TileGpu_Op<"advance", [
    Pure, SameOperandsAndResultType]> {
  let summary = "The number of a slot of a ring, some slots further";
  let description = [{
    `(number + by) mod slots`, where the number is less than `slots`, too.

    ```mlir
    %next = tilegpu.advance %n by 2 of 3
    ```
  }];
  let arguments = (ins I32:$number, I64Attr:$by, I64Attr:$slots);
  let results = (outs I32:$result);
  let assemblyFormat = "$number `by` $by `of` $slots attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

/// The groups of copies that a thread has committed, and who owns each slot:
/// their order matters.
def TileGpu_CopyGroups : Resource<"::tilewright::tilegpu::CopyGroups">;

def TileGpu_CopyOp : TileGpu_Op<"copy", [
    RecursiveMemoryEffects, SingleBlock,
    MemoryEffects<[MemWrite<TileGpu_CopyGroups>]>]> {
  let summary = "Starts an asynchronous copy to shared memory";
  let description = [{
    The tile that the region reads is written to the memory between this op and
    the `tilegpu.wait` for its group. Where `live` is false, nothing happens.

    ```mlir
    %t = tilegpu.copy to %slot if %live {
      %x = tile.load %a at [%i, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16, #x>
      tilegpu.yield %x : tensor<64x32xf16, #x>
    } : !tilegpu.shared<64x32xf16, #mem>
    ```
  }];
  let arguments = (ins TileGpu_SharedWrite:$memory, Optional<I1>:$live);
  let results = (outs TileGpu_Token:$token);
  let regions = (region SizedRegion<1>:$source);
  let assemblyFormat = [{
    `to` $memory (`if` $live^)? $source attr-dict `:` qualified(type($memory))
  }];
  let extraClassDeclaration = [{
    /// The op that reads what is copied.
    ::tilewright::tile::ViewAccessOpInterface getRead();
    /// What is copied: what it reads, with other names for the elements.
    ::mlir::TypedValue<::mlir::RankedTensorType> getTile();
  }];
  let hasVerifier = 1;
}

def TileGpu_CommitOp : TileGpu_Op<"commit", [
    MemoryEffects<[MemWrite<TileGpu_CopyGroups>]>]> {
  let summary = "Makes a group of copies";
  let description = [{
    The group has all copies since the last commit: these are the operands. A
    group may be empty.

    ```mlir
    %g = tilegpu.commit (%t0, %t1)
    ```
  }];
  let arguments = (ins Variadic<TileGpu_Token>:$copies);
  let results = (outs TileGpu_Token:$group);
  let assemblyFormat = "`(` $copies `)` attr-dict";
}

def TileGpu_WaitOp : TileGpu_Op<"wait", [
    MemoryEffects<[MemWrite<TileGpu_CopyGroups>]>]> {
  let summary = "Waits for a group of copies";
  let description = [{
    Afterwards each thread sees what it copied itself; a `tilegpu.barrier` makes
    it visible to all. The memories are those that the group writes.

    ```mlir
    tilegpu.wait %g for %m : !tilegpu.shared<64x32xf16, #mem>
    ```
  }];
  let arguments = (ins TileGpu_Token:$group,
    Arg<Variadic<TileGpu_Shared>, "memory that was written",
        [MemWrite<TileGpu_SharedMemory>]>:$memories);
  let assemblyFormat = [{
    $group `for` $memories attr-dict `:` qualified(type($memories))
  }];
}

def TileGpu_AcquireOp : TileGpu_Op<"acquire", [
    MemoryEffects<[MemWrite<TileGpu_CopyGroups>]>]> {
  let summary = "Takes a slot, to fill it";
  let description = [{
    Its last content was released on all ways that lead here, or it never had
    one. It becomes no instruction while those that fill and read a slot are the
    same threads.

    ```mlir
    tilegpu.acquire %m : !tilegpu.shared<64x32xf16, #mem>
    ```
  }];
  let arguments = (ins TileGpu_SharedWrite:$memory);
  let assemblyFormat = "$memory attr-dict `:` qualified(type($memory))";
}

def TileGpu_ReleaseOp : TileGpu_Op<"release", [
    MemoryEffects<[MemWrite<TileGpu_CopyGroups>]>]> {
  let summary = "Gives a slot back: its content is not read any more";
  let description = [{
    ```mlir
    tilegpu.release %m : !tilegpu.shared<64x32xf16, #mem>
    ```
  }];
  let arguments = (ins TileGpu_SharedRead:$memory);
  let assemblyFormat = "$memory attr-dict `:` qualified(type($memory))";
}

def TileGpu_BarrierOp : TileGpu_Op<"barrier", [
    MemoryEffects<[MemRead<TileGpu_SharedMemory>,
                   MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "All threads of the block wait for one another";
  let description = [{
    After it, all threads see what any of them wrote to shared memory before it.

    ```mlir
    tilegpu.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
