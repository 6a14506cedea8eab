// The older LLVM's side, through LLVM-C: parses, verifies, prints and
// emits an object for the machine.
#include "test/library/beside/Beside.h"

// As in llvm-c, whose headers need not be there.
using Ref = struct Opaque *;
using Bool = int;

// With typed pointers, which LLVM 14 wants and LLVM 15 and 16 take.
static const std::string source = R"(
define void @scale(float* %x, float %by, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, float* %x, i64 %i
  %old = load float, float* %at
  %new = fmul float %old, %by
  store float %new, float* %at
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
)";

namespace {
struct Functions {
  explicit Functions(void *library);
  Ref (*createContext)();
  void (*disposeContext)(Ref);
  Ref (*createBuffer)(const char *, size_t, const char *);
  Bool (*parse)(Ref, Ref, Ref *, char **);
  Bool (*verify)(Ref, int, char **);
  char *(*print)(Ref);
  void (*disposeMessage)(char *);
  void (*disposeModule)(Ref);
  char *(*defaultTriple)();
  Bool (*targetFromTriple)(const char *, Ref *, char **);
  Ref (*createMachine)(Ref, const char *, const char *, const char *, int, int,
                       int);
  void (*disposeMachine)(Ref);
  Bool (*emit)(Ref, Ref, int, char **, Ref *);
  const char *(*bufferStart)(Ref);
  size_t (*bufferSize)(Ref);
  void (*disposeBuffer)(Ref);
};
} // namespace

template <class Function>
static void load(void *library, Function *&to, const char *name) {
  to = find<Function>(library, name);
}

Functions::Functions(void *library) {
  load(library, createContext, "LLVMContextCreate");
  load(library, disposeContext, "LLVMContextDispose");
  load(library, createBuffer, "LLVMCreateMemoryBufferWithMemoryRangeCopy");
  load(library, parse, "LLVMParseIRInContext");
  load(library, verify, "LLVMVerifyModule");
  load(library, print, "LLVMPrintModuleToString");
  load(library, disposeMessage, "LLVMDisposeMessage");
  load(library, disposeModule, "LLVMDisposeModule");
  load(library, defaultTriple, "LLVMGetDefaultTargetTriple");
  load(library, targetFromTriple, "LLVMGetTargetFromTriple");
  load(library, createMachine, "LLVMCreateTargetMachine");
  load(library, disposeMachine, "LLVMDisposeTargetMachine");
  load(library, emit, "LLVMTargetMachineEmitToMemoryBuffer");
  load(library, bufferStart, "LLVMGetBufferStart");
  load(library, bufferSize, "LLVMGetBufferSize");
  load(library, disposeBuffer, "LLVMDisposeMemoryBuffer");
}

/// A message, which is freed.
static std::string take(const Functions &llvm, char *message) {
  std::string text = message ? message : "";
  if (message)
    llvm.disposeMessage(message);
  return text;
}

/// The object and the assembly of a module, for the machine at hand.
static void emitAll(const Functions &llvm, Ref module, Results &results) {
  enum { assembly, object, optimized = 2, positionIndependent = 2 };
  char *message = nullptr;
  Ref target = nullptr;
  std::string triple = take(llvm, llvm.defaultTriple());
  if (llvm.targetFromTriple(triple.c_str(), &target, &message))
    end(1, take(llvm, message));
  Ref machine = llvm.createMachine(target, triple.c_str(), "", "", optimized,
                                   positionIndependent, 0);
  for (int kind : {assembly, object}) {
    Ref buffer = nullptr;
    if (llvm.emit(machine, module, kind, &message, &buffer))
      end(1, take(llvm, message));
    results[kind == object ? "object" : "assembly"] =
        std::string(llvm.bufferStart(buffer), llvm.bufferSize(buffer));
    llvm.disposeBuffer(buffer);
  }
  llvm.disposeMachine(machine);
}

static void compileOne(const Functions &llvm, const char *name,
                       const std::string &text, Results &results) {
  Ref context = llvm.createContext();
  // Takes the buffer.
  Ref buffer = llvm.createBuffer(text.data(), text.size(), name);
  Ref module = nullptr;
  char *message = nullptr;
  if (llvm.parse(context, buffer, &module, &message)) {
    results[name] = take(llvm, message);
  } else {
    enum { returnStatus = 2 };
    Bool isBroken = llvm.verify(module, returnStatus, &message);
    results[name] = take(llvm, message) + take(llvm, llvm.print(module));
    if (!isBroken)
      emitAll(llvm, module, results);
    llvm.disposeModule(module);
  }
  llvm.disposeContext(context);
}

Compiler openLlvm(const char *path) {
  void *library = openLibrary(path, 77);
  Functions llvm(library);
  for (const char *part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"})
    find<void()>(library, (std::string("LLVMInitializeX86") + part).c_str())();
  return [llvm] {
    Results results;
    compileOne(llvm, "good", source, results);
    compileOne(llvm, "not IR", "define void", results);
    // Parses, but a block's second predecessor is missing in its phi.
    std::string broken = source;
    broken.replace(broken.find("[ 0, %entry ], "), 15, "");
    compileOne(llvm, "broken", broken, results);
    return results;
  };
}
