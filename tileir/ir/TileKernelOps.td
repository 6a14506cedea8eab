// Kernels, device functions, and a program's view of its launch.
#ifndef TILEWRIGHT_TILEIR_IR_TILEKERNELOPS
#define TILEWRIGHT_TILEIR_IR_TILEKERNELOPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "tileir/ir/TileInterfaces.td"
include "tileir/ir/TileTypes.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A kernel: one program, run once for each point of a grid";
  let description = [{
    The grid map has no dims and one symbol for each size of the arguments in
    order: each dim of a view (static ones too), and each index or integer
    argument itself. Its 1 to 3 results are the numbers of programs. Without a
    `grid` clause there is one program.

    ```mlir
    tile.kernel @k(%A: !tile.view<?xf32>)
        grid affine_map<()[s0] -> (s0 ceildiv 64)> {
      %i = tile.program_id
      %a = tile.load %A[%i] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
      tile.store %a, %A[%i] : tensor<64xf32>, !tile.view<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       AffineMapAttr:$grid,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::mlir::TypeRange":$argumentTypes, "::mlir::AffineMap":$grid)>];
  let extraClassDeclaration = [{
    /// The number of grid dimensions, 1 to 3.
    int64_t getGridRank() { return getGrid().getNumResults(); }
    /// How many arguments a launch gives: all but a workspace.
    unsigned getNumLaunchArguments();
    /// How many symbols a grid map over these arguments has.
    static int64_t countGridSymbols(::mlir::TypeRange argumentTypes);

    /// What a launch takes, as an attribute of what the kernel becomes.
    SignatureAttr getSignature();

    ::mlir::Region *getCallableRegion() { return &getRegion(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_FuncOp : Tile_Op<"func", [
    FunctionOpInterface, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A device function, called by kernels and device functions";
  let description = [{
    ```mlir
    tile.func @relu(%x: tensor<64xf32>) -> tensor<64xf32> {
      %zero = arith.constant dense<0.0> : tensor<64xf32>
      %y = arith.maximumf %x, %zero : tensor<64xf32>
      tile.return %y : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getRegion(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ReturnOp : Tile_Op<"return", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["KernelOp", "FuncOp"]>]> {
  let summary = "Ends a kernel or a device function";
  let description = "A kernel returns nothing, and may omit this op.";
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Tile_CallOp : Tile_Op<"call", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a device function";
  let description = [{
    ```mlir
    %y = tile.call @relu(%x) : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins "FuncOp":$callee,
    CArg<"::mlir::ValueRange", "{}">:$operands)>];
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return getOperandsMutable();
    }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:`
    functional-type($operands, $results)
  }];
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "This program's index in the grid";
  let description = [{
    There is one result for each dimension of the grid: an index from 0 to the
    number of programs minus 1.

    ```mlir
    tile.kernel @k(%A: !tile.view<?x?xf32>)
        grid affine_map<()[s0, s1] -> (s0 ceildiv 64, s1)> {
      %i, %j = tile.program_id
    }
    ```
  }];
  let results = (outs Variadic<Index>:$ids);
  let builders = [OpBuilder<(ins "int64_t":$rank), [{
    $_state.addTypes(::llvm::SmallVector<::mlir::Type>(
        rank, $_builder.getIndexType()));
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ProgramCountOp : Tile_Op<"program_count", [Pure]> {
  let summary = "The number of programs along each grid dimension";
  let description = [{
    ```mlir
    tile.kernel @k(%A: !tile.view<?x?xf32>)
        grid affine_map<()[s0, s1] -> (s0 ceildiv 64, s1)> {
      %m, %n = tile.program_count
    }
    ```
  }];
  let results = (outs Variadic<Index>:$counts);
  let builders = [OpBuilder<(ins "int64_t":$rank), [{
    $_state.addTypes(::llvm::SmallVector<::mlir::Type>(
        rank, $_builder.getIndexType()));
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
