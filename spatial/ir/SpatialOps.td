// The spatial dialect: a model as operations on vectors, with no time and no
// place yet.
#ifndef TILEWRIGHT_SPATIAL_IR_SPATIALOPS
#define TILEWRIGHT_SPATIAL_IR_SPATIALOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Spatial_Dialect : Dialect {
  let name = "spatial";
  let cppNamespace = "::tilewright::spatial";
  let summary = "Operations on the vectors of a statically scheduled machine";
  let description = [{
    A function on vectors of one machine. Its attribute `spatial.lanes` says how
    many lanes they have. A value is a list of vectors, `%v[0]`, `%v[1]`, ..; an
    op names for each vector of its result the vectors that it is made of. Each
    vector is one instruction of the machine (docs/spatial.md), with its
    arithmetic: the reference executes it bit for bit.
  }];
  let useDefaultTypePrinterParser = 1;
}

def Spatial_Vectors : TypeDef<Spatial_Dialect, "Vectors"> {
  let mnemonic = "vectors";
  let summary = "A list of vectors";
  let description = [{
    `!spatial.vectors<128 x f16>`: 128 vectors of one element a lane. Elements
    are i1, i8, ui8, i32, f16, bf16 and f32.
  }];
  let parameters = (ins "int64_t":$count, "::mlir::Type":$element);
  let assemblyFormat = "`<` $count `x` $element `>`";
  let genVerifyDecl = 1;
}

/// For each vector of a result, the vectors of an operand.
def Spatial_Indices : TypedArrayAttrBase<DenseI32ArrayAttr,
                                         "indices of vectors">;

class Spatial_Op<string mnemonic, list<Trait> traits = []>
    : Op<Spatial_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
}

/// An op whose result's vectors are each made of one vector of each operand.
class Spatial_VectorOp<string mnemonic, list<Trait> traits = []>
    : Spatial_Op<mnemonic, traits> {
  let results = (outs Spatial_Vectors:$result);
}

def Spatial_ConstantOp : Spatial_Op<"constant"> {
  let summary = "Vectors that are known before the program runs";
  let description = [{
    - (C1) The elements are a tensor [vectors, lanes] of the result's elements.

    ```mlir
    %w = spatial.constant dense<1.0> : tensor<4x4xf32> -> !spatial.vectors<4 x f32>
    ```
  }];
  let arguments = (ins ElementsAttr:$elements);
  let results = (outs Spatial_Vectors:$result);
  let assemblyFormat = "$elements attr-dict `->` qualified(type($result))";
}

def Spatial_VectorAluOp : Spatial_VectorOp<"alu"> {
  let summary = "One operation of a vector unit";
  let description = [{
    `name` is an operation of docs/spatial.md, on operands of `operandType`
    (f32 or i32): vectors, or numbers, which are the same in each lane. The result is
    rounded to its elements.

    - (C1) The operation exists, and has as many operands as it takes.
    - (C2) Types of operands, operation and result fit (docs/spatial.md).
    - (C3) There is an index for each vector of the result, in each operand.

    ```mlir
    %y = spatial.alu max f32 (%x[0+1*128], 0.0) : (!spatial.vectors<128 x f16>)
        -> !spatial.vectors<128 x f16>
    ```
  }];
  let arguments = (ins StrAttr:$name, TypeAttr:$operandType,
                       Variadic<Spatial_Vectors>:$reads,
                       Spatial_Indices:$indices,
                       OptionalAttr<ArrayAttr>:$numbers);
  let assemblyFormat = [{
    custom<AluName>($name) $operandType `(`
    custom<Operands>($reads, $indices, $numbers) `)` attr-dict `:`
    functional-type($reads, $result)
  }];
}

def Spatial_MultiplyOp : Spatial_VectorOp<"multiply"> {
  let summary = "Products of vectors and a matrix of weights";
  let description = [{
    The first operand are the vectors x, the second the weights: `rows` vectors
    from its only index on. Lane c of the result is the sum over k of x[k]
    weights[k][c], to which the third operand is added if there is one.

    - (C1) There are two or three operands; the weights have one index.
    - (C2) x and weights have the elements `operandType`, the other vectors f32 (i32
      of i8).
    - (C3) `rows` is at least 1 and at most the number of lanes.
    - (C4) There is an index for each vector of the result, in x and in the
      third operand.

    ```mlir
    %p = spatial.multiply f16 rows 64 (%x[0+1*128], %w[0], %q[0+1*128]) :
        (!spatial.vectors<128 x f16>, !spatial.vectors<64 x f16>,
         !spatial.vectors<128 x f32>) -> !spatial.vectors<128 x f32>
    ```
  }];
  let arguments = (ins TypeAttr:$operandType, I64Attr:$rows,
                       Variadic<Spatial_Vectors>:$reads,
                       Spatial_Indices:$indices);
  let assemblyFormat = [{
    $operandType `rows` $rows `(` custom<Reads>($reads, $indices) `)` attr-dict `:`
    functional-type($reads, $result)
  }];
}

def Spatial_MapOp : Spatial_VectorOp<"map"> {
  let summary = "Moves lanes of one or two vectors";
  let description = [{
    Lane i of the result is lane `lanes[i]` of the first operand, lane
    `lanes[i]` - L of the second, where L is the number of lanes, or 0 for -1.

    - (C1) There are one or two operands, of the result's elements.
    - (C2) There is an entry for each lane, -1 or a lane of an operand.
    - (C3) There is an index for each vector of the result, in each operand.

    ```mlir
    %y = spatial.map [1, 2, 3, -1] (%x[0+1*2]) : (!spatial.vectors<2 x f32>)
        -> !spatial.vectors<2 x f32>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$lanes,
                       Variadic<Spatial_Vectors>:$reads,
                       Spatial_Indices:$indices);
  let assemblyFormat = [{
    $lanes `(` custom<Reads>($reads, $indices) `)` attr-dict `:`
    functional-type($reads, $result)
  }];
}

def Spatial_TransposeOp : Spatial_VectorOp<"transpose"> {
  let summary = "Transposes blocks of lanes of several vectors";
  let description = [{
    For each index v, vectors v to v + T - 1 of the operand become T vectors of
    the result: lane b T + j of the i-th is lane b T + i of vector v + j. T is
    `size`.

    - (C1) There is one operand, of the result's elements.
    - (C2) T divides the number of lanes.
    - (C3) The result has T vectors for each index.

    ```mlir
    %y = spatial.transpose 2 (%x[0, 2]) : (!spatial.vectors<4 x f32>)
        -> !spatial.vectors<4 x f32>
    ```
  }];
  let arguments = (ins I64Attr:$size, Variadic<Spatial_Vectors>:$reads,
                       Spatial_Indices:$indices);
  let assemblyFormat = [{
    $size `(` custom<Reads>($reads, $indices) `)` attr-dict `:`
    functional-type($reads, $result)
  }];
}

def Spatial_GatherOp : Spatial_VectorOp<"gather"> {
  let summary = "Vectors whose number is data";
  let description = [{
    The first operand is a table, whose only index is that of its first row; it
    has `rows` of them. The second one gives, in lane 0, which row a vector of
    the result is.

    - (C1) There are two operands; the table has one index and enough vectors,
      and the result's elements; the second one is of i32.
    - (C2) There is an index for each vector of the result in the second operand.

    ```mlir
    %y = spatial.gather rows 2000 (%table[0], %i[0+1*64]) :
        (!spatial.vectors<2000 x f32>, !spatial.vectors<64 x i32>)
        -> !spatial.vectors<64 x f32>
    ```
  }];
  let arguments = (ins I64Attr:$rows, Variadic<Spatial_Vectors>:$reads,
                       Spatial_Indices:$indices);
  let assemblyFormat = [{
    `rows` $rows `(` custom<Reads>($reads, $indices) `)` attr-dict `:`
    functional-type($reads, $result)
  }];
}

def Spatial_SelectVectorsOp : Spatial_VectorOp<"select_vectors"> {
  let summary = "Vectors of other values under one name";
  let description = [{
    Takes no instruction: vector i of the result *is* vector `indices[i]` of
    operand `sources[i]`.

    - (C1) There is a source and an index for each vector of the result.
    - (C2) They exist, and have the result's elements.

    ```mlir
    %y = spatial.select_vectors [0, 0, 1] [0, 1, 0] (%a, %b) :
        (!spatial.vectors<2 x f32>, !spatial.vectors<1 x f32>)
        -> !spatial.vectors<3 x f32>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$sources, DenseI32ArrayAttr:$indices,
                       Variadic<Spatial_Vectors>:$reads);
  let assemblyFormat = [{
    custom<Index>($sources) custom<Index>($indices) `(` $reads `)` attr-dict `:`
    functional-type($reads, $result)
  }];
}

#endif
