// Compiles models and kernels within the process. Link with
// Tilewright::compiler; no header of LLVM or MLIR is needed.
#ifndef TILEWRIGHT_COMPILER_H
#define TILEWRIGHT_COMPILER_H

#include "tilewright/compiler/Cache.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/compiler/Compiler.h"
#include "tilewright/compiler/DiagnosticText.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/compiler/ModelKind.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/compiler/RemarkText.h"
#include "tilewright/compiler/TorchOperators.h"
#include "tilewright/compiler/TorchProgram.h"

#endif // TILEWRIGHT_COMPILER_H
