// What a module is compiled for, and what was chosen for a kernel.
#ifndef TILEWRIGHT_TILEIR_IR_TILEATTRS
#define TILEWRIGHT_TILEIR_IR_TILEATTRS

include "tileir/ir/TileTypes.td"

class Tile_Attr<string name, string mnemonic_> : AttrDef<Tile_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Tile_Target : Tile_Attr<"Target", "target"> {
  let summary = "The target that a module is compiled for";
  let description = [{
    `#tile.target<"sm_90a">`. A CPU also has the facts that code generation uses:
    `#tile.target<"cpu", {triple = "x86_64-linux-gnu", vector_bits = 256}>`.
    It is the module's attribute `tile.target`.
  }];
  let parameters = (ins StringRefParameter<"cpu, or a GPU">:$name,
                        OptionalParameter<"::mlir::DictionaryAttr">:$facts);
  let assemblyFormat = "`<` $name (`,` $facts^)? `>`";
}

def Tile_Schedule : Tile_Attr<"Schedule", "schedule"> {
  let summary = "The parameters of one kernel's code, which do not change its results";
  let description = [{
    `#tile.schedule<warps = 4, instruction = "fma">`. The compiler chooses the
    parameters that it omits. It is the kernel's attribute `tile.schedule`;
    docs/schedules.md lists the parameters.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::NamedAttribute",
                      "integers of 64 bits or names, each once">:$parameters);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number that the parameter of that name is, or nothing.
    std::optional<int64_t> find(::llvm::StringRef name) const;
    /// As users write it: "warps=4 vector_bits=128".
    std::string getText() const;
    /// Parses such a text; null if it is malformed.
    static ScheduleAttr fromText(::mlir::MLIRContext *context,
                                 ::llvm::StringRef text);
  }];
}

def Tile_Signature : Tile_Attr<"Signature", "signature"> {
  let summary = "What a launch of a kernel needs to know";
  let description = [{
    The types of a `tile.kernel`'s arguments, its grid, and the attributes of
    its arguments. It is the attribute `tile.signature` of the function that
    the kernel became; the parameters of that function are only words:

    ```
    #tile.signature<(!tile.view<?xf32>) -> (),
                    affine_map<()[s0] -> (s0 ceildiv 64)>,
                    [{tile.align = 16 : i64} ]>
    ```
  }];
  let parameters = (ins
    "::mlir::FunctionType":$type, "::mlir::AffineMapAttr":$grid,
    OptionalParameter<"::mlir::ArrayAttr",
                      "a dictionary for each argument">:$arguments);
  let assemblyFormat = "`<` $type `,` $grid (`,` $arguments^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Attribute `name` of argument `i`, or null.
    ::mlir::Attribute getArgAttr(unsigned i, ::llvm::StringRef name) const;
    template <typename T>
    T getArgAttrOfType(unsigned i, ::llvm::StringRef name) const {
      return ::llvm::dyn_cast_or_null<T>(getArgAttr(i, name));
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() const {
      return getType().getInputs();
    }
  }];
}

#endif
