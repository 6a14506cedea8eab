// Atomic operations and fences: how programs see each other's memory.
#ifndef TILEWRIGHT_TILEIR_IR_TILEATOMICOPS
#define TILEWRIGHT_TILEIR_IR_TILEATOMICOPS

include "tileir/ir/TileKernelOps.td"

def Tile_AtomicRmwOp : Tile_Op<"atomic_rmw", [Tile_PointerAccess,
    Tile_MemoryOrdering, MemoryEffects<[MemRead, MemWrite]>,
    InferTypeOpAdaptor]> {
  let summary = "Updates elements atomically and returns the old ones";
  let description = [{
    Each element is updated atomically, the tile as a whole is not. Where
    `mask` is false nothing is done and the result is zero.

    ```mlir
    %old = tile.atomic_rmw add relaxed device %v, %p mask %m
        : tensor<64x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_MemoryOrder:$order,
    Tile_MemoryScope:$scope, Tile_ScalarOrTile:$value, Tile_PtrLike:$ptr,
    Optional<Tile_BoolLike>:$mask);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = [{
    $kind $order $scope $value `,` $ptr (`mask` $mask^)? attr-dict
    `:` custom<PtrTypes>(type($ptr), type($mask), ref($mask), type($value))
  }];
  let extraClassDeclaration = [{
    bool isAtomicUpdate() { return true; }
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCasOp : Tile_Op<"atomic_cas", [Tile_PointerAccess,
    Tile_MemoryOrdering, MemoryEffects<[MemRead, MemWrite]>,
    InferTypeOpAdaptor, AllTypesMatch<["compare", "value"]>]> {
  let summary = "Replaces elements that equal an expected value, atomically";
  let description = [{
    An element equal to `compare` becomes `value`. The result is the old
    element.

    ```mlir
    %old = tile.atomic_cas acquire device %zero, %one, %lock
        : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_MemoryOrder:$order, Tile_MemoryScope:$scope,
    Tile_ScalarOrTile:$compare, Tile_ScalarOrTile:$value, Tile_PtrLike:$ptr,
    Optional<Tile_BoolLike>:$mask);
  let results = (outs Tile_ScalarOrTile:$result);
  let assemblyFormat = [{
    $order $scope $compare `,` $value `,` $ptr (`mask` $mask^)? attr-dict
    `:` custom<PtrTypes>(type($ptr), type($mask), ref($mask), type($value))
  }];
  let extraClassDeclaration = [{
    bool isAtomicUpdate() { return true; }
  }];
  let hasVerifier = 1;
}

def Tile_AtomicReduceOp : Tile_Op<"atomic_reduce", [Tile_ViewAccess,
    Tile_MemoryOrdering, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Updates a tile of a view, element by element atomically";
  let description = [{
    Addressed as by `tile.store`. Elements outside the view are dropped.

    ```mlir
    tile.atomic_reduce add relaxed device %t, %C[%i, %j]
        : tensor<64x64xf32>, !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_AtomicKind:$kind, Tile_MemoryOrder:$order,
    Tile_MemoryScope:$scope, Tile_Tile:$value, Tile_View:$view,
    Variadic<Index>:$offsets, UnitAttr:$byElement,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps);
  let assemblyFormat = [{
    $kind $order $scope $value `,` $view ``
    custom<Address>($offsets, $byElement, $steps) attr-dict
    `:` type($value) `,` qualified(type($view))
  }];
  let extraClassDeclaration = [{
    bool isAtomicUpdate() { return true; }
    ::mlir::TypedValue<::mlir::RankedTensorType> getTile() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::RankedTensorType>>(
          getValue());
    }
  }];
  let hasVerifier = 1;
}

def Tile_FenceOp : Tile_Op<"fence", [Tile_MemoryOrdering,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Orders the accesses before it against those after it";
  let description = [{
    ```mlir
    tile.fence acq_rel device
    ```
  }];
  let arguments = (ins Tile_MemoryOrder:$order, Tile_MemoryScope:$scope);
  let assemblyFormat = "$order $scope attr-dict";
  let hasVerifier = 1;
}

#endif
