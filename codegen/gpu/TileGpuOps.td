// The ops of the scheduled level.
#ifndef TILEWRIGHT_CODEGEN_GPU_TILEGPUOPS
#define TILEWRIGHT_CODEGEN_GPU_TILEGPUOPS

include "codegen/gpu/TileGpuDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
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

def TileGpu_ReduceOp : TileGpu_Op<"reduce", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Combines along one dimension what each warp holds";
  let description = [{
    As `tile.reduce`, but only as far as the values of one warp go: the
    dimension stays, with one element for each warp that holds parts of it.
    The results have the layout that `warpReduction` gives.

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

def TileGpu_YieldOp : TileGpu_Op<"yield", [
    Pure, ReturnLike, Terminator, HasParent<"ReduceOp">]> {
  let summary = "The combined elements of a reduction";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def TileGpu_AllocOp : TileGpu_Op<"alloc", [
    MemoryEffects<[MemAlloc<TileGpu_SharedMemory>]>]> {
  let summary = "Shared memory for a tile";
  let description = [{
    Each run of the op gives the same memory. `offset` is where it begins in
    the block's shared memory, in bytes; allocation gives it.

    ```mlir
    %m = tilegpu.alloc offset 1024 : !tilegpu.shared<64x32xf32, #mem>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs TileGpu_Shared:$result);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` type($result)";
}

/// Shared memory that an op reads, or writes.
def TileGpu_SharedRead
    : Arg<TileGpu_Shared, "memory that is read",
          [MemRead<TileGpu_SharedMemory>]>;
def TileGpu_SharedWrite
    : Arg<TileGpu_Shared, "memory that is written",
          [MemWrite<TileGpu_SharedMemory>]>;

def TileGpu_StoreSharedOp : TileGpu_Op<"store_shared"> {
  let summary = "Writes a tile to shared memory";
  let description = [{
    ```mlir
    tilegpu.store_shared %x, %m
        : tensor<64x32xf32, #x>, !tilegpu.shared<64x32xf32, #mem>
    ```
  }];
  let arguments = (ins TileGpu_LaidOutTile:$value, TileGpu_SharedWrite:$memory);
  let assemblyFormat = [{
    $value `,` $memory attr-dict `:` type($value) `,` qualified(type($memory))
  }];
  let hasVerifier = 1;
}

def TileGpu_StoreElementOp : TileGpu_Op<"store_element"> {
  let summary = "Writes one element of a tile to shared memory";
  let description = [{
    The memory holds one element. If an index is outside the tile, what it
    holds afterwards is not specified.

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

def TileGpu_LoadSharedOp : TileGpu_Op<"load_shared"> {
  let summary = "Reads a tile from shared memory";
  let description = [{
    ```mlir
    %y = tilegpu.load_shared %m
        : !tilegpu.shared<64x32xf32, #mem> -> tensor<64x32xf32, #y>
    ```
  }];
  let arguments = (ins TileGpu_SharedRead:$memory);
  let results = (outs TileGpu_LaidOutTile:$result);
  let assemblyFormat = [{
    $memory attr-dict `:` qualified(type($memory)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileGpu_DotOp : TileGpu_Op<"dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Contraction of two tiles in shared memory";
  let description = [{
    As `tile.dot`, each thread computing the sums that it holds by
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

def TileGpu_BarrierOp : TileGpu_Op<"barrier", [
    MemoryEffects<[MemRead<TileGpu_SharedMemory>,
                   MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "All threads of the block wait for one another";
  let description = [{
    What they wrote to shared memory before is seen by all of them after.

    ```mlir
    tilegpu.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
