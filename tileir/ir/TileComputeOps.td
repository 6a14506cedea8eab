// Contractions, reductions and the rest of what computes on tiles.
#ifndef TILEWRIGHT_TILEIR_IR_TILECOMPUTEOPS
#define TILEWRIGHT_TILEIR_IR_TILECOMPUTEOPS

include "tileir/ir/TileKernelOps.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product added to an accumulator";
  let description = [{
    `result[m, n] = acc[m, n] + sum over k of lhs[m, k] * rhs[k, n]`, or the
    same with a leading batch dimension. `precision` says what a lowering may
    do to f32 operands; `lhs_unsigned` and `rhs_unsigned` how integer operands
    are widened.

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

def Tile_ReduceOp : Tile_Op<"reduce", [
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Combines the elements of tiles along one dimension";
  let description = [{
    The region combines two elements of each input: its arguments are the left
    elements, then the right ones. In which order and association the elements
    are combined is not specified.

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

def Tile_ScanOp : Tile_Op<"scan", [
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

#endif
