// The tile dialect, its types, and the constraints that its ops share.
#ifndef TILEWRIGHT_TILEIR_IR_TILETYPES
#define TILEWRIGHT_TILEIR_IR_TILETYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "Programs over tiles: one program instance, no threads";
  let description = [{
    A tile is a builtin `tensor` of static shape. Elementwise work is upstream
    `arith` and `math` on tensors, control flow is upstream `scf`; this dialect
    holds what they lack. Its specification is docs/spec.md.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Argument attribute: the base of a view or pointer is a multiple of
    /// this many bytes.
    static constexpr ::llvm::StringLiteral kAlignAttr = "tile.align";
    /// Argument attribute: an index or integer is a multiple of this.
    static constexpr ::llvm::StringLiteral kDivisibleAttr = "tile.divisible";
    /// Argument attributes: each dim, each stride of a view is a multiple of
    /// the number at its position.
    static constexpr ::llvm::StringLiteral kDimDivisibleAttr =
        "tile.dim_divisible";
    static constexpr ::llvm::StringLiteral kStrideDivisibleAttr =
        "tile.stride_divisible";
    /// Argument attribute: the view shares no byte with those of the arguments
    /// of these numbers.
    static constexpr ::llvm::StringLiteral kDisjointAttr = "tile.disjoint";
    /// Argument attributes, of a kernel's last argument, a pointer to memory
    /// that the runtime provides: its bytes, an affine map like the grid; and
    /// when it is zeroed: "never" (the default), "once" or "launch".
    static constexpr ::llvm::StringLiteral kWorkspaceAttr = "tile.workspace";
    static constexpr ::llvm::StringLiteral kZeroedAttr = "tile.zeroed";
    /// Kernel attribute: at most so many programs run for each multiprocessor.
    static constexpr ::llvm::StringLiteral kPersistentAttr = "tile.persistent";
    /// Module attribute: #tile.target, what code is made for.
    static constexpr ::llvm::StringLiteral kTargetAttr = "tile.target";
    /// Kernel attribute, also of the function that it became: #tile.schedule.
    static constexpr ::llvm::StringLiteral kScheduleAttr = "tile.schedule";
    /// Kernel attribute, likewise: the fast-math flags of its ops, a string.
    static constexpr ::llvm::StringLiteral kFastMathAttr = "tile.fast_math";
    /// Kernel attribute, likewise: what tells this variant of a kernel from
    /// others of its name and target, a string.
    static constexpr ::llvm::StringLiteral kVariantAttr = "tile.variant";
    /// Attribute of the function that a kernel became: #tile.signature.
    static constexpr ::llvm::StringLiteral kSignatureAttr = "tile.signature";
    /// Attribute of a kernel's function on a CPU: the bytes of scratch memory
    /// that each thread provides.
    static constexpr ::llvm::StringLiteral kScratchAttr = "tile.scratch";
    /// Attribute of an op: which of its results are tiles that have memory of
    /// their own on a CPU. And of the kernel: how many there are.
    static constexpr ::llvm::StringLiteral kBufferedAttr = "tile.buffered";
    static constexpr ::llvm::StringLiteral kBuffersAttr = "tile.buffers";

    void registerAttributes();
    void registerTypes();
  }];
}

//===--- Types ------------------------------------------------------------===//

class Tile_Type<string name, string mnemonic_> : TypeDef<Tile_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Tile_Ptr : Tile_Type<"Ptr", "ptr"> {
  let summary = "Pointer to an element in global memory";
  let description = [{
    `!tile.ptr<f32>`. Also the element type of a tile of pointers.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee),
    [{ return $_get(pointee.getContext(), pointee); }]>];
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def Tile_View : Tile_Type<"View", "view"> {
  let summary = "A box of elements in global memory";
  let description = [{
    `!tile.view<?x48xf32>`: row-major and contiguous, the strides follow from
    the dims. `!tile.view<?x?xf32, strides<[?, 1]>>`: explicit strides, in
    elements. A `?` is known only when the kernel is launched.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "dims; ShapedType::kDynamic for ?">:$shape,
    "::mlir::Type":$elementType,
    OptionalArrayRefParameter<"int64_t",
      "strides in elements; empty: row-major contiguous">:$strides);
  let builders = [TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$strides),
    [{ return $_get(elementType.getContext(), shape, elementType, strides); }]
  >];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Number of dimensions; 0 for a view of one element.
    int64_t getRank() const { return getShape().size(); }
    /// Size of dimension `dim`, or ShapedType::kDynamic.
    int64_t getDimSize(int64_t dim) const { return getShape()[dim]; }
    bool isDynamicDim(int64_t dim) const {
      return ::mlir::ShapedType::isDynamic(getShape()[dim]);
    }
    /// True if no dim is `?`.
    bool hasStaticShape() const {
      return !::mlir::ShapedType::isDynamicShape(getShape());
    }
    /// Number of dims written `?`.
    int64_t getNumDynamicDims() const;
    /// False if the view is row-major contiguous.
    bool hasExplicitStrides() const { return !getStrides().empty(); }
    /// Number of explicit strides written `?`.
    int64_t getNumDynamicStrides() const;
    /// Stride of `dim` in elements if the type has it, explicit or implied by
    /// static dims, otherwise ShapedType::kDynamic.
    int64_t getKnownStride(int64_t dim) const;
  }];
}

//===--- Constraints ------------------------------------------------------===//

def Tile_Tile : Type<CPred<"::tilewright::tile::isTile($_self)">,
  "tile (tensor of static shape)", "::mlir::RankedTensorType">;
def Tile_ScalarOrTile : Type<
  CPred<"::tilewright::tile::isScalarOrTile($_self)">,
  "scalar or tile (tensor of static shape)">;
def Tile_Scalar : Type<CPred<"::tilewright::tile::isScalar($_self)">,
  "integer, index, float or pointer">;
def Tile_PtrLike : Type<
  CPred<"::tilewright::tile::isPtrLike($_self)">,
  "pointer or tile of pointers">;
def Tile_BoolLike : Type<
  CPred<"::tilewright::tile::isScalarOrTile($_self) && "
        "::mlir::getElementTypeOrSelf($_self).isInteger(1)">,
  "i1 or tile of i1">;
def Tile_IntLike : Type<
  CPred<"::tilewright::tile::isScalarOrTile($_self) && "
        "::mlir::getElementTypeOrSelf($_self).isIntOrIndex()">,
  "integer, index or tile of them">;
def Tile_IntTile : Type<
  CPred<"::tilewright::tile::isTile($_self) && "
        "::mlir::getElementTypeOrSelf($_self).isIntOrIndex()">,
  "tile of integers or of index", "::mlir::RankedTensorType">;
def Tile_I32Like : Type<
  CPred<"::tilewright::tile::isScalarOrTile($_self) && "
        "::mlir::getElementTypeOrSelf($_self).isInteger(32)">,
  "i32 or tile of i32">;

//===--- Enumerations -----------------------------------------------------===//

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tile";
}

def Tile_DotPrecision : Tile_Enum<"DotPrecision",
    "How a dot may treat its operands", [
  I32EnumAttrCase<"ieee", 0>, I32EnumAttrCase<"tf32", 1>,
  I32EnumAttrCase<"tf32x3", 2>, I32EnumAttrCase<"bf16x3", 3>,
  I32EnumAttrCase<"bf16x6", 4>, I32EnumAttrCase<"fast", 5>]>;

def Tile_Rounding : Tile_Enum<"Rounding",
    "How a conversion rounds a value that its result type cannot hold", [
  I32EnumAttrCase<"nearest_even", 0>, I32EnumAttrCase<"nearest_away", 1>,
  I32EnumAttrCase<"toward_zero", 2>, I32EnumAttrCase<"down", 3>,
  I32EnumAttrCase<"up", 4>, I32EnumAttrCase<"stochastic", 5>]>;

def Tile_AtomicKind : Tile_Enum<"AtomicKind",
    "What an atomic operation does to the element in memory", [
  I32EnumAttrCase<"exchange", 0>, I32EnumAttrCase<"add", 1>,
  I32EnumAttrCase<"and_", 2, "and">, I32EnumAttrCase<"or_", 3, "or">,
  I32EnumAttrCase<"xor_", 4, "xor">, I32EnumAttrCase<"max", 5>,
  I32EnumAttrCase<"min", 6>, I32EnumAttrCase<"umax", 7>,
  I32EnumAttrCase<"umin", 8>]>;

def Tile_MemoryOrder : Tile_Enum<"MemoryOrder",
    "Order of an access as in the PTX memory model", [
  I32EnumAttrCase<"weak", 0>, I32EnumAttrCase<"relaxed", 1>,
  I32EnumAttrCase<"acquire", 2>, I32EnumAttrCase<"release", 3>,
  I32EnumAttrCase<"acq_rel", 4>, I32EnumAttrCase<"seq_cst", 5>]>;

def Tile_MemoryScope : Tile_Enum<"MemoryScope",
    "The programs that an ordered access is ordered with", [
  I32EnumAttrCase<"program", 0>, I32EnumAttrCase<"cluster", 1>,
  I32EnumAttrCase<"device", 2>, I32EnumAttrCase<"system", 3>]>;

//===--- Base of all ops --------------------------------------------------===//

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits> {
  /// The first version of Tilewright that has the op.
  string since = "0.1";
}

#endif
