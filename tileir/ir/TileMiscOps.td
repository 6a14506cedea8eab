// Assumptions, assertions, printing, inline PTX, tunables.
#ifndef TILEWRIGHT_TILEIR_IR_TILEMISCOPS
#define TILEWRIGHT_TILEIR_IR_TILEMISCOPS

include "tileir/ir/TileKernelOps.td"

def Tile_AssumeOp : Tile_Op<"assume", [Pure,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "The same value, with an assumption about it";
  let description = [{
    A lowering may rely on the assumption. If it does not hold, the result is
    poison. For pointers the divisor counts bytes.

    ```mlir
    %y = tile.assume %x divisible 16 range [0, 4096] : index
    ```
  }];
  let arguments = (ins Tile_ScalarOrTile:$value,
    OptionalAttr<I64Attr>:$divisor, OptionalAttr<DenseI64ArrayAttr>:$range);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = [{
    $value (`divisible` $divisor^)? (`range` $range^)? attr-dict
    `:` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stops the kernel with a message if a condition is false";
  let description = [{
    ```mlir
    tile.assert %ok, "index out of range" : tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = [{
    $condition `,` $message attr-dict `:` type($condition)
  }];
  let hasCanonicalizeMethod = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Prints a text and values, once for each program";
  let description = [{
    ```mlir
    tile.print "x = ", %x, %i : tensor<64xf32>, index
    ```
  }];
  let arguments = (ins StrAttr:$text, Variadic<Tile_ScalarOrTile>:$values);
  let assemblyFormat = [{
    $text (`,` $values^ `:` type($values))? attr-dict
  }];
}

def Tile_InlinePtxOp : Tile_Op<"inline_ptx", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "PTX text run once for each element";
  let description = [{
    In the text, $0, $1, ... are the results and then the operands, in the order
    of the constraints, which are those of LLVM's inline assembly. `pure` says
    that the text neither reads nor writes memory.

    ```mlir
    %r = tile.inline_ptx "add.s32 $0, $1, $2;" constraints "=r,r,r" pure
        (%a, %b) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    ```
  }];
  let arguments = (ins StrAttr:$ptx, StrAttr:$constraints, UnitAttr:$isPure,
                       Variadic<Tile_ScalarOrTile>:$operands);
  let results = (outs Variadic<Tile_ScalarOrTile>:$results);
  let assemblyFormat = [{
    $ptx `constraints` $constraints (`pure` $isPure^)? `(` $operands `)`
    attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Tile_TunableOp : Tile_Op<"tunable", [Pure]> {
  let summary = "A named compile-time parameter with its legal values";
  let description = [{
    It has no value of its own: `bind-tunables` binds it before a kernel is
    lowered or run. All tunables of one name in a kernel are one parameter.

    ```mlir
    %stages = tile.tunable "stages" of [2, 3, 4]
    ```
  }];
  let arguments = (ins StrAttr:$name, DenseI64ArrayAttr:$values);
  let results = (outs Index:$result);
  let assemblyFormat = "$name `of` $values attr-dict";
  let hasVerifier = 1;
}

#endif
