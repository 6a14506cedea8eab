// Ops that make tiles and move their elements without computing on them.
#ifndef TILEWRIGHT_TILEIR_IR_TILESHAPEOPS
#define TILEWRIGHT_TILEIR_IR_TILESHAPEOPS

include "tileir/ir/TileKernelOps.td"

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "The numbers 0, 1, 2, ... as a tile of one dimension";
  let description = [{
    ```mlir
    %i = tile.iota : tensor<64xi32>
    ```
  }];
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile whose elements are all one scalar";
  let description = [{
    ```mlir
    %t = tile.splat %s : f32 -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins Tile_Scalar:$scalar);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Repeats a tile along its dimensions of size 1";
  let description = [{
    ```mlir
    %b = tile.broadcast %t : tensor<1x64xf32> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %r = tile.reshape %t : tensor<8x4xf32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "Permutes the dimensions of a tile";
  let description = [{
    Dimension `d` of the result is dimension `permutation[d]` of the source.

    ```mlir
    %r = tile.transpose %t [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_Tile:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$source,
    "::llvm::ArrayRef<int64_t>":$permutation)>];
  let assemblyFormat = [{
    $source $permutation attr-dict `:` type($source) `->` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

#endif
