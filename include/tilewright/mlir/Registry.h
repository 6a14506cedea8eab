//===- Registry.h - What a plug-in adds to the compiler ---------*- C++ -*-===//
//
// A plug-in is a shared library, built with the compiler and the MLIR that
// Tilewright was built with:
//
//   #include "tilewright/mlir/Registry.h"
//   TILEWRIGHT_PLUGIN(registry) {
//     registry.addPass("my-pass", [] { return std::make_unique<MyPass>(); });
//     return tilewright::Status();
//   }
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_MLIR_REGISTRY_H
#define TILEWRIGHT_MLIR_REGISTRY_H

#include "mlir/Pass/Pass.h"
#include "tilewright/codegen/GpuTarget.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/mlir/Frontend.h"
#include "tilewright/mlir/Relation.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include "llvm/Config/llvm-config.h"
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace tilewright {

/// What plug-ins add.
class TILEWRIGHT_API Registry {
public:
  /// Makes a pass over modules or tile.kernel. Called from many threads.
  using CreatePass = std::function<std::unique_ptr<mlir::Pass>()>;
  /// Makes a module of the bytes of a file. Called from many threads. Errors
  /// say what was expected and found; the file's name is put before them.
  using Import = std::function<StatusOr<TileModule>(std::string_view bytes)>;

  /// A pass over each kernel at the tile level, its tunables bound and nothing
  /// called, before it is lowered for any target. Passes run in the order in
  /// which they were added; what they leave is verified. `name` is what
  /// --stop-after calls the pass, and has letters, digits, '-', '_' and '.'.
  /// `relation` is what it keeps of a kernel's meaning; `tilewright verify`
  /// takes a pass that declares none for exact.
  void addPass(std::string name, CreatePass create,
               std::optional<Relation> relation = std::nullopt);
  /// A GPU that LLVM knows by the name of `target`, which must outlive the
  /// process's last compilation. All of its numbers must be set.
  void addTarget(const target::GpuTarget &target);
  /// Reads models of another format. It is asked before Tilewright's own.
  void addFrontend(std::unique_ptr<const frontend::Frontend> frontend);
  /// A frontend for tile kernels in files whose names end in `extension`
  /// (".x").
  void addImporter(std::string extension, Import import);

  struct NamedPass {
    std::string name;
    CreatePass create;
    std::optional<Relation> relation;
  };
  [[nodiscard]] const std::deque<NamedPass> &passes() const {
    return allPasses;
  }
  /// The pass of that name, or null.
  [[nodiscard]] const NamedPass *findPass(std::string_view name) const;
  /// The target of that name, or null.
  [[nodiscard]] const target::GpuTarget *
  findTarget(std::string_view name) const;
  [[nodiscard]] std::span<const std::unique_ptr<const frontend::Frontend>>
  frontends() const {
    return allFrontends;
  }
  /// What is wrong with the first thing that cannot be added: that it is there
  /// already, for instance. Empty if nothing is.
  [[nodiscard]] const std::string &problem() const { return firstProblem; }

private:
  void noteProblem(std::string problem);
  void noteClash(bool isNew, const char *what, const std::string &name);
  std::deque<NamedPass> allPasses;
  std::map<std::string, target::GpuTarget, std::less<>> targets;
  std::vector<std::unique_ptr<const frontend::Frontend>> allFrontends;
  std::string firstProblem;
};

/// What a plug-in was built for. The version counts changes of this file.
struct PluginAbi {
  uint32_t version;
  const char *llvm;
};
inline constexpr uint32_t pluginVersion = 3;

} // namespace tilewright

/// Defines the entry of a plug-in: the body, which follows, adds to `REGISTRY`
/// and returns a Status.
#define TILEWRIGHT_PLUGIN(REGISTRY)                                            \
  static ::tilewright::Status tilewrightAdd(::tilewright::Registry &);         \
  extern "C" {                                                                 \
  extern TILEWRIGHT_API const ::tilewright::PluginAbi tilewrightPluginAbi;     \
  const ::tilewright::PluginAbi tilewrightPluginAbi = {                        \
      ::tilewright::pluginVersion, LLVM_VERSION_STRING};                       \
  TILEWRIGHT_API void tilewrightPlugin(::tilewright::Registry &registry,       \
                                       ::tilewright::Status &status) {         \
    status = tilewrightAdd(registry);                                          \
  }                                                                            \
  }                                                                            \
  static ::tilewright::Status tilewrightAdd(                                   \
      [[maybe_unused]] ::tilewright::Registry &REGISTRY)

#endif // TILEWRIGHT_MLIR_REGISTRY_H
