// The tilegpu dialect: the parts of the tile level that depend on a GPU's
// threads, made explicit. Its specification is docs/scheduled.md.
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_TILEGPUDIALECT
#define TILEWRIGHT_CODEGEN_TILEGPU_TILEGPUDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/OpBase.td"

def TileGpu_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tilewright::tilegpu";
  let summary = "Tiles on the threads of a GPU: layouts, shared memory, barriers";
  let description = [{
    At the scheduled level a tile's type has a layout as its encoding, which
    says what each thread of a block holds. Ops of the tile level keep their
    meaning; this dialect adds the movements between layouts. Its
    specification is docs/scheduled.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Kernel attribute: warps of a block.
    static constexpr ::llvm::StringLiteral kWarpsAttr = "tilegpu.warps";
    /// Kernel attribute: bytes of shared memory of a block.
    static constexpr ::llvm::StringLiteral kSharedAttr = "tilegpu.shared";
    /// Attribute of the function that a kernel became: the PTX version that its
    /// instructions need, times 10, if the target's own is not enough.
    static constexpr ::llvm::StringLiteral kPtxVersionAttr =
        "tilegpu.ptx_version";
    /// Attribute of `tile.dot`: the matrix instruction that computes it, or
    /// "fma".
    static constexpr ::llvm::StringLiteral kInstructionAttr =
        "tilegpu.instruction";
    static constexpr ::llvm::StringLiteral kFma = "fma";
    /// Attribute of a kernel, why its schedule was chosen, and of a dot, why its
    /// instruction was; for people.
    static constexpr ::llvm::StringLiteral kReasonAttr = "tilegpu.reason";
    /// Kernel attribute: the choice of layouts and its prices, for people.
    static constexpr ::llvm::StringLiteral kLayoutsAttr = "tilegpu.layouts";

    void registerAttributes();
    void registerTypes();
    void registerOps();
  }];
}

//===--- Layouts ----------------------------------------------------------===//

def TileGpu_LayoutParameter
    : AttrOrTypeParameter<"::tilewright::layout::Layout",
                          "who holds which element"> {
  let cppAccessorType = "const ::tilewright::layout::Layout &";
}

def TileGpu_Layout : AttrDef<TileGpu_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "Which thread holds which element of a tile";
  let description = [{
    `#tilegpu.layout<"...">`, in the text of codegen/layout, e.g.
    `"blocked shape=128x64 per-thread=1x4 lanes=2x16 warps=4x1"`. The encoding
    of a tile in registers, and a parameter of shared memory.
  }];
  let parameters = (ins TileGpu_LayoutParameter:$layout);
  let hasCustomAssemblyFormat = 1;
}

//===--- Types ------------------------------------------------------------===//

def TileGpu_Shared : TypeDef<TileGpu_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "A tile in the shared memory of a block";
  let description = [{
    `!tilegpu.shared<64x32xf32, #mem>`: the layout gives the offset of each
    element, in elements. `!tilegpu.shared<64x32xf32, #mem, slots = 3>` is a ring
    of three such tiles.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType, "LayoutAttr":$layout,
    DefaultValuedParameter<"int64_t", "1">:$slots);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
      "::mlir::Type":$elementType, "LayoutAttr":$layout), [{
    return $_get($_ctxt, shape, elementType, layout, 1);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of memory, padding included, of all slots.
    int64_t getBytes() const;
    /// From the first byte of a slot to that of the next.
    int64_t getSlotStride() const;
    /// One slot: the same type for a tile that is no ring.
    SharedType getSlotType() const;
  }];
}

def TileGpu_Token : TypeDef<TileGpu_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "Asynchronous copies that were started";
  let description = [{
    The result of `tilegpu.copy` is one copy, that of `tilegpu.commit` a group of
    copies.
  }];
}

#endif
