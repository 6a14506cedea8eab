// Views, pointers, and the accesses through them.
#ifndef TILEWRIGHT_TILEIR_IR_TILEMEMORYOPS
#define TILEWRIGHT_TILEIR_IR_TILEMEMORYOPS

include "tileir/ir/TileKernelOps.td"

//===--- Views ------------------------------------------------------------===//

def Tile_MakeViewOp : Tile_Op<"make_view", [AttrSizedOperandSegments, Pure]> {
  let summary = "A view of the memory at a pointer";
  let description = [{
    Takes one size for each `?` dimension and one stride for each `?` stride of
    the result's type.

    ```mlir
    %v = tile.make_view %p sizes [%m, %n] strides [%s]
        : !tile.ptr<f32> -> !tile.view<?x?xf32, strides<[?, 1]>>
    ```
  }];
  let arguments = (ins Tile_Ptr:$ptr, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides);
  let results = (outs Tile_View:$result);
  let assemblyFormat = [{
    $ptr (`sizes` `[` $sizes^ `]`)? (`strides` `[` $strides^ `]`)? attr-dict
    `:` qualified(type($ptr)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_DimOp : Tile_Op<"dim", [Pure]> {
  let summary = "Size of a view along one dimension";
  let description = [{
    ```mlir
    %n = tile.dim %A, 1 : !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` qualified(type($view))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_StrideOp : Tile_Op<"stride", [Pure]> {
  let summary = "Stride of a view along one dimension, in elements";
  let description = [{
    ```mlir
    %s = tile.stride %A, 0 : !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` qualified(type($view))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_CountOp : Tile_Op<"count", [Pure]> {
  let summary = "How many tiles of a given extent cover one dimension";
  let description = [{
    `ceildiv(dim, extent)`.

    ```mlir
    %n = tile.count %A, 1 by 64 : !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$dim, I64Attr:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $view `,` $dim `by` $extent attr-dict `:` qualified(type($view))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [Tile_ViewAccess,
    MemoryEffects<[MemRead]>]> {
  let summary = "Reads a tile of a view";
  let description = [{
    By tile index, `%A[%i, %j]`: the tile begins at index times tile size. By
    element offset, `%A at [%r, %c] step [2, 1]`: the tile begins at these
    elements (they may be negative) and takes every step-th one. Elements
    outside the view are the padding value; without a padding value they are a
    fault.

    ```mlir
    %a = tile.load %A[%i, %k] pad 0.0
        : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %w = tile.load %X at [%r, %c] step [2, 2] pad -inf
        : !tile.view<?x?xf32> -> tensor<8x8xf32>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$offsets,
                       UnitAttr:$byElement,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps,
                       OptionalAttr<TypedAttrInterface>:$pad);
  let results = (outs Tile_Tile:$result);
  let builders = [
    // By element offsets; empty steps are all 1.
    OpBuilder<(ins "::mlir::Type":$resultType, "::mlir::Value":$view,
      "::mlir::ValueRange":$offsets, "::llvm::ArrayRef<int64_t>":$steps,
      "::mlir::TypedAttr":$pad)>];
  let extraClassDeclaration = [{
    /// A load by tile index. `pad` may be null.
    static LoadOp createTile(::mlir::OpBuilder &builder,
                             ::mlir::Location loc, ::mlir::Type resultType,
                             ::mlir::Value view, ::mlir::ValueRange index,
                             ::mlir::TypedAttr pad);
    bool mayReachOutside() { return getPad().has_value(); }
    ::mlir::TypedValue<::mlir::RankedTensorType> getTile() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::RankedTensorType>>(
          getResult());
    }
    ViewType getViewType() {
      return ::llvm::cast<ViewType>(getView().getType());
    }
    /// The step along `dim`, 1 where none is written.
    int64_t getStep(int64_t dim) {
      return getSteps().empty() ? 1 : getSteps()[dim];
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [Tile_ViewAccess,
    MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a tile of a view";
  let description = [{
    Addressed as by `tile.load`. Elements outside the view are dropped.

    ```mlir
    tile.store %t, %C[%i, %j] : tensor<128x96xf32>, !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$value, Tile_View:$view,
                       Variadic<Index>:$offsets, UnitAttr:$byElement,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps);
  let builders = [
    // By element offsets; empty steps are all 1.
    OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$view,
      "::mlir::ValueRange":$offsets, "::llvm::ArrayRef<int64_t>":$steps)>];
  let extraClassDeclaration = [{
    /// A store by tile index.
    static StoreOp createTile(::mlir::OpBuilder &builder,
                              ::mlir::Location loc, ::mlir::Value value,
                              ::mlir::Value view, ::mlir::ValueRange index);
    ::mlir::TypedValue<::mlir::RankedTensorType> getTile() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::RankedTensorType>>(
          getValue());
    }
    ViewType getViewType() {
      return ::llvm::cast<ViewType>(getView().getType());
    }
    /// The step along `dim`, 1 where none is written.
    int64_t getStep(int64_t dim) {
      return getSteps().empty() ? 1 : getSteps()[dim];
    }
  }];
  let assemblyFormat = [{
    $value `,` $view `` custom<Address>($offsets, $byElement, $steps) attr-dict
    `:` type($value) `,` qualified(type($view))
  }];
  let hasVerifier = 1;
}

//===--- Pointers ---------------------------------------------------------===//

def Tile_BaseOp : Tile_Op<"base", [Pure]> {
  let summary = "Pointer to the first element of a view";
  let description = [{
    ```mlir
    %p = tile.base %A : !tile.view<?x?xf32> -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_View:$view);
  let results = (outs Tile_Ptr:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$view)>];
  let assemblyFormat = [{
    $view attr-dict `:` qualified(type($view)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_OffsetOp : Tile_Op<"offset", [Pure,
    InferTypeOpAdaptor]> {
  let summary = "Moves pointers by a number of elements";
  let description = [{
    A pointer with a scalar or a tile of offsets, or a tile of pointers with a
    tile of offsets of the same shape. Offsets are signed.

    ```mlir
    %q = tile.offset %p, %i : !tile.ptr<f32>, tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = [{
    $ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "The same addresses with another type pointed to";
  let description = [{
    ```mlir
    %q = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure]> {
  let summary = "Pointers as byte addresses";
  let description = [{
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure]> {
  let summary = "Byte addresses as pointers";
  let description = [{
    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_IntLike:$address);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = [{
    $address attr-dict `:` type($address) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_LoadPtrOp : Tile_Op<"load_ptr", [AttrSizedOperandSegments,
    Tile_PointerAccess, Tile_MemoryOrdering,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    InferTypeOpAdaptor]> {
  let summary = "Reads through a pointer or a tile of pointers";
  let description = [{
    Where `mask` is false nothing is read, and the result is the element of
    `other`, or zero if there is no `other`. A read with an order is never
    removed: a program may wait for the value that it reads.

    ```mlir
    %v = tile.load_ptr %p mask %m other %o : tensor<64x!tile.ptr<f32>>
    %f = tile.load_ptr %flag acquire device : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask,
    Optional<Tile_ScalarOrTile>:$other,
    DefaultValuedAttr<Tile_MemoryOrder, "MemoryOrder::weak">:$order,
    OptionalAttr<Tile_MemoryScope>:$scope);
  let results = (outs Tile_ScalarOrTile:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr,
    CArg<"::mlir::Value", "{}">:$mask, CArg<"::mlir::Value", "{}">:$other)>];
  let extraClassDeclaration = [{
    ::mlir::Value getWrittenValue() { return {}; }
  }];
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? `` custom<Order>($order, $scope)
    attr-dict `:` custom<PtrTypes>(type($ptr), type($mask), ref($mask),
                                   type($other), ref($other))
  }];
  let hasVerifier = 1;
}

def Tile_StorePtrOp : Tile_Op<"store_ptr", [Tile_PointerAccess,
    Tile_MemoryOrdering, MemoryEffects<[MemWrite]>]> {
  let summary = "Writes through a pointer or a tile of pointers";
  let description = [{
    Where `mask` is false nothing is written. If two pointers of one tile are
    equal, one of their values remains; it is not specified which.

    ```mlir
    tile.store_ptr %v, %p mask %m : tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_ScalarOrTile:$value, Tile_PtrLike:$ptr,
    Optional<Tile_BoolLike>:$mask,
    DefaultValuedAttr<Tile_MemoryOrder, "MemoryOrder::weak">:$order,
    OptionalAttr<Tile_MemoryScope>:$scope);
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$ptr,
    CArg<"::mlir::Value", "{}">:$mask)>];
  let assemblyFormat = [{
    $value `,` $ptr (`mask` $mask^)? `` custom<Order>($order, $scope) attr-dict
    `:` custom<PtrTypes>(type($ptr), type($mask), ref($mask), type($value))
  }];
  let hasVerifier = 1;
}

#endif
