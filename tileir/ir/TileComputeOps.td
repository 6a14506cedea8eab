// Contractions, reductions and the rest of what computes on tiles.
#ifndef TILEWRIGHT_TILEIR_IR_TILECOMPUTEOPS
#define TILEWRIGHT_TILEIR_IR_TILECOMPUTEOPS

include "tileir/ir/TileKernelOps.td"

def Tile_DotOp : Tile_Op<"dot", [Tile_Contraction, Pure,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product added to an accumulator";
  let description = [{
    `result[m, n] = acc[m, n] + sum over k of lhs[m, k] * rhs[k, n]`, or the
    same with a leading batch dimension. `precision` says what a lowering may
    do to the operands. `lhs_unsigned` and `rhs_unsigned` say how integer
    operands are widened.

    ```mlir
    %n = tile.dot %a, %b, %acc precision tf32
        : tensor<64x32xf32>, tensor<32x96xf32> -> tensor<64x96xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$acc,
    DefaultValuedAttr<Tile_DotPrecision, "DotPrecision::ieee">:$precision,
    UnitAttr:$lhsUnsigned, UnitAttr:$rhsUnsigned);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`precision` $precision^)?
    (`lhs_unsigned` $lhsUnsigned^)? (`rhs_unsigned` $rhsUnsigned^)? attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Tile_Combining,
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Combines the elements of tiles along one dimension";
  let description = [{
    The region combines two elements of each input: its arguments are the left
    elements, then the right ones. The order and the association in which the
    elements are combined are not specified.

    ```mlir
    %s = tile.reduce %x axis 1 {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<8x64xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$inputs, I64Attr:$axis);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let skipDefaultBuilders = 1;
  let builders = [
    // `combine` gets the left elements, then the right ones.
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "int64_t":$axis,
      "::tilewright::tile::CombineFn":$combine)>];
  let assemblyFormat = [{
    $inputs `axis` $axis $combiner attr-dict
    `:` type($inputs) `->` type($results)
  }];
  let hasRegionVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Tile_Combining,
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "All partial combinations of tiles along one dimension";
  let description = [{
    Element `i` of a result combines elements 0 to `i` of the inputs, from the
    left; with `reverse`, the last element down to `i`. The association is not
    specified.

    ```mlir
    %s = tile.scan %x axis 0 {
    ^bb0(%a: i32, %b: i32):
      %r = arith.addi %a, %b : i32
      tile.yield %r : i32
    } : tensor<64xi32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$inputs, I64Attr:$axis,
                       UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let skipDefaultBuilders = 1;
  let builders = [
    // `combine` gets the left elements, then the right ones.
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "int64_t":$axis,
      "bool":$reverse, "::tilewright::tile::CombineFn":$combine)>];
  let assemblyFormat = [{
    $inputs `axis` $axis (`reverse` $reverse^)? $combiner attr-dict
    `:` type($inputs) `->` type($results)
  }];
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "Ends the region of a reduce or a scan";
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

//===--- Block-scaled product ---------------------------------------------===//

def Tile_ScaledDotOp : Tile_Op<"scaled_dot", [Tile_Contraction, Pure,
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product of small floats with block scales";
  let description = [{
    Like `tile.dot`, but each element of an operand is multiplied by the scale
    of its block of 16 or 32 elements along k.

    ```mlir
    %n = tile.scaled_dot %a scale %as, %b scale %bs, %acc
        : tensor<64x128xf8E4M3FN> scale tensor<64x4xf8E8M0FNU>,
          tensor<128x96xf4E2M1FN> scale tensor<4x96xf8E8M0FNU>
          -> tensor<64x96xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$lhsScale, Tile_Tile:$rhs,
                       Tile_Tile:$rhsScale, Tile_Tile:$acc);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $lhs `scale` $lhsScale `,` $rhs `scale` $rhsScale `,` $acc attr-dict
    `:` type($lhs) `scale` type($lhsScale) `,`
    type($rhs) `scale` type($rhsScale) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Elements along k that share a scale.
    int64_t getBlockSize();
  }];
  let hasVerifier = 1;
}

//===--- Order and counting -----------------------------------------------===//

def Tile_SortOp : Tile_Op<"sort", [Pure]> {
  let summary = "Sorts along one dimension";
  let description = [{
    The first input holds the keys; the others are permuted in the same way.
    The sort is stable. A NaN is greater than all other floats.

    ```mlir
    %k, %v = tile.sort %keys, %values axis 1 descending
        : tensor<8x64xf32>, tensor<8x64xi32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$inputs, I64Attr:$axis,
                       UnitAttr:$descending, UnitAttr:$isUnsigned);
  let results = (outs Variadic<Tile_Tile>:$results);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs,
    "int64_t":$axis, CArg<"bool", "false">:$descending)>];
  let assemblyFormat = [{
    $inputs `axis` $axis (`descending` $descending^)?
    (`unsigned` $isUnsigned^)? attr-dict `:` type($inputs)
    `` custom<SameTypes>(ref(type($inputs)), type($results))
  }];
  let hasVerifier = 1;
}

def Tile_TopKOp : Tile_Op<"top_k", [Pure]> {
  let summary = "The largest elements along one dimension, and their indices";
  let description = [{
    The results are in descending order; of equal elements the one with the
    lower index comes first. A NaN is greater than all other floats. With
    `smallest` they are the smallest elements, in ascending order. The type of
    the results says how many there are.

    ```mlir
    %v, %i = tile.top_k %x axis 1
        : tensor<8x64xf32> -> tensor<8x4xf32>, tensor<8x4xi32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, I64Attr:$axis, UnitAttr:$smallest,
                       UnitAttr:$isUnsigned);
  let results = (outs Tile_Tile:$values, Tile_IntTile:$indices);
  let assemblyFormat = [{
    $source `axis` $axis (`smallest` $smallest^)? (`unsigned` $isUnsigned^)?
    attr-dict `:` type($source) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "How often each number occurs in a tile";
  let description = [{
    Element `b` of the result is the number of source elements that equal `b`,
    where `mask` is true. Numbers beyond the result are not counted.

    ```mlir
    %h = tile.histogram %x mask %m : tensor<256xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins Tile_IntTile:$source, Optional<Tile_BoolLike>:$mask);
  let results = (outs Tile_IntTile:$result);
  let assemblyFormat = [{
    $source (`mask` $mask^)? attr-dict `:`
    custom<HistogramTypes>(type($source), type($mask), ref($mask),
                           type($result))
  }];
  let hasVerifier = 1;
}

//===--- Conversion, random numbers ---------------------------------------===//

def Tile_ConvertOp : Tile_Op<"convert", [Pure]> {
  let summary = "Converts between element types";
  let description = [{
    Rounds as `rounding` says; the default is nearest_even. With `saturate`, a
    number out of range becomes the nearest number in range. `approx` allows an
    error of one unit in the last place.

    ```mlir
    %q = tile.convert %x saturate : tensor<8xf32> -> tensor<8xf8E4M3FN>
    %i = tile.convert %x rounding toward_zero saturate to_unsigned
        : tensor<8xf32> -> tensor<8xi8>
    %s = tile.convert %x rounding stochastic random %bits
        : tensor<8xf32> -> tensor<8xbf16>
    ```
  }];
  let arguments = (ins Tile_ScalarOrTile:$source,
    Optional<Tile_I32Like>:$random,
    DefaultValuedAttr<Tile_Rounding, "Rounding::nearest_even">:$rounding,
    UnitAttr:$saturate, UnitAttr:$approx, UnitAttr:$fromUnsigned,
    UnitAttr:$toUnsigned);
  let results = (outs Tile_ScalarOrTile:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$resultType,
    "::mlir::Value":$source,
    CArg<"Rounding", "Rounding::nearest_even">:$rounding,
    CArg<"bool", "false">:$saturate), [{
      build($_builder, $_state, resultType, source, ::mlir::Value(), rounding,
            saturate, /*approx=*/false, /*fromUnsigned=*/false,
            /*toUnsigned=*/false);
  }]>];
  let assemblyFormat = [{
    $source (`rounding` $rounding^)? (`random` $random^)?
    (`saturate` $saturate^)? (`approx` $approx^)?
    (`from_unsigned` $fromUnsigned^)? (`to_unsigned` $toUnsigned^)? attr-dict
    `:` custom<ConvertTypes>(type($source), type($random), ref($random),
                             type($result))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_PhiloxOp : Tile_Op<"philox", [Pure, AllTypesMatch<["c0", "c1", "c2",
    "c3", "k0", "k1", "r0", "r1", "r2", "r3"]>]> {
  let summary = "Four random words from a counter and a key";
  let description = [{
    Philox 4x32-10: the same counter and key give the same words everywhere.

    ```mlir
    %r0, %r1, %r2, %r3 = tile.philox %c0, %c1, %c2, %c3 key %k0, %k1
        : tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_I32Like:$c0, Tile_I32Like:$c1, Tile_I32Like:$c2,
    Tile_I32Like:$c3, Tile_I32Like:$k0, Tile_I32Like:$k1);
  let results = (outs Tile_I32Like:$r0, Tile_I32Like:$r1, Tile_I32Like:$r2,
    Tile_I32Like:$r3);
  let assemblyFormat = [{
    $c0 `,` $c1 `,` $c2 `,` $c3 `key` $k0 `,` $k1 attr-dict `:` type($r0)
  }];
}

#endif
