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

def Tile_JoinOp : Tile_Op<"join", [Pure]> {
  let summary = "Interleaves tiles along a new last dimension";
  let description = [{
    `result[.., n] = inputs[n][..]`.

    ```mlir
    %t = tile.join %a, %b
        : tensor<8xf32>, tensor<8xf32> -> tensor<8x2xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$inputs);
  let results = (outs Tile_Tile:$result);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs)>];
  let assemblyFormat = [{
    $inputs attr-dict `:` type($inputs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure]> {
  let summary = "Takes a tile apart along its last dimension";
  let description = [{
    The inverse of `tile.join`.

    ```mlir
    %a, %b = tile.split %t
        : tensor<8x2xf32> -> tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Variadic<Tile_Tile>:$results);
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` type($results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ConcatOp : Tile_Op<"concat", [Pure]> {
  let summary = "Puts tiles one after another along one dimension";
  let description = [{
    ```mlir
    %t = tile.concat %a, %b axis 1
        : tensor<8x4xf32>, tensor<8x12xf32> -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$inputs, I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs,
    "int64_t":$axis)>];
  let assemblyFormat = [{
    $inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "A part of a tile at a fixed offset";
  let description = [{
    Element `i` of the result is element `offsets + i * steps` of the source.

    ```mlir
    %s = tile.slice %t [0, 16] : tensor<8x64xf32> -> tensor<8x32xf32>
    %e = tile.slice %t [0, 1] step [1, 2]
        : tensor<8x64xf32> -> tensor<8x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$offsets,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $source $offsets (`step` $steps^)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The step along `dim`, 1 where none is written.
    int64_t getStep(int64_t dim) {
      return getSteps().empty() ? 1 : getSteps()[dim];
    }
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure, InferTypeOpAdaptor]> {
  let summary = "One element of a tile as a scalar";
  let description = [{
    An index outside the tile gives poison.

    ```mlir
    %x = tile.extract %t[%i, %j] : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, Variadic<Index>:$indices);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = [{
    $source `` `[` $indices `]` attr-dict `:` type($source)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "Elements of a tile chosen by indices along one dimension";
  let description = [{
    `result[i, j] = source[indices[i, j], j]` for axis 0. An index outside the
    source gives poison.

    ```mlir
    %g = tile.gather %t, %i axis 0
        : tensor<64x8xf32>, tensor<16x8xi32> -> tensor<16x8xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, Tile_IntTile:$indices,
                       I64Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$source,
    "::mlir::Value":$indices, "int64_t":$axis)>];
  let assemblyFormat = [{
    $source `,` $indices `axis` $axis attr-dict
    `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
