// Interfaces for properties of ops that stages need, so that a stage need not
// list ops.
#ifndef TILEWRIGHT_TILEIR_IR_TILEINTERFACES
#define TILEWRIGHT_TILEIR_IR_TILEINTERFACES

include "mlir/IR/OpBase.td"

def Tile_ViewAccess : OpInterface<"ViewAccessOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    Reads or writes a tile of a view. Its memory effects say which of the two.
  }];
  let methods = [
    InterfaceMethod<"The tile that is read (a result) or written.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getTile">,
    InterfaceMethod<"The operand of a tile that is written; null if none is.",
      "::mlir::OpOperand *", "getWrittenTile", (ins), [{}], [{
        return $_op->getNumResults() ? nullptr : &$_op->getOpOperand(0);
      }]>,
    InterfaceMethod<"The view.", "::mlir::TypedValue<ViewType>", "getView">,
    InterfaceMethod<"Where the tile begins in the view, by dimension.",
      "::mlir::OperandRange", "getOffsets">,
    InterfaceMethod<"Whether offsets count elements, not tiles.", "bool",
      "getByElement">,
    InterfaceMethod<"From one element of the tile to the next, in elements of "
                    "the view, by dimension; empty: all 1.",
      "::llvm::ArrayRef<int64_t>", "getSteps">,
    InterfaceMethod<"Whether elements outside the view are padding or dropped; "
                    "else there may be none.",
      "bool", "mayReachOutside", (ins), [{}], "return true;">];
}

def Tile_PointerAccess : OpInterface<"PointerAccessOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = "Reads or writes through a pointer or a tile of pointers.";
  let methods = [
    InterfaceMethod<"The pointer or pointers.", "::mlir::Value", "getPtr">,
    InterfaceMethod<"Where it is false nothing is accessed; may be null.",
      "::mlir::Value", "getMask">,
    InterfaceMethod<"What is written, or combined with what is there; null if "
                    "nothing is.",
      "::mlir::Value", "getWrittenValue", (ins), [{}],
      "return $_op.getValue();">,
    InterfaceMethod<"The element type of the memory.", "::mlir::Type",
      "getPointee", (ins), [{}], [{
        return ::llvm::cast<PtrType>(::mlir::getElementTypeOrSelf(
            $_op.getPtr().getType())).getPointee();
      }]>];
}

def Tile_MemoryOrdering : OpInterface<"MemoryOrderOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    An access or a fence with an order and a scope in the memory model.
  }];
  let methods = [
    InterfaceMethod<"The order.", "MemoryOrder", "getOrder">,
    InterfaceMethod<"Between whom; nothing for a weak access.",
      "::std::optional<MemoryScope>", "getOptionalScope", (ins),
      "return $_op.getScope();">,
    InterfaceMethod<"Whether it updates memory in one step, which no other "
                    "program can come between.",
      "bool", "isAtomicUpdate", (ins), [{}], "return false;">];
}

def Tile_Combining : OpInterface<"CombiningOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    Combines elements along one dimension by its region, which holds no ops on
    tiles.
  }];
  let methods = [
    InterfaceMethod<"The tiles, of one shape.", "::mlir::OperandRange",
      "getInputs">,
    InterfaceMethod<"The dimension along which elements are combined.",
      "uint64_t", "getAxis">,
    InterfaceMethod<"From the left and the right elements, the combined ones.",
      "::mlir::Region &", "getCombiner">];
}

def Tile_Contraction : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::tilewright::tile";
  let description = [{
    A matrix product [.., M, K] x [.., K, N] that is added to an accumulator.
  }];
  let methods = [
    InterfaceMethod<"[.., M, K].", "::mlir::Value", "getLhs">,
    InterfaceMethod<"[.., K, N].", "::mlir::Value", "getRhs">,
    InterfaceMethod<"[.., M, N], as is the result.", "::mlir::Value",
      "getAcc">];
}

#endif
