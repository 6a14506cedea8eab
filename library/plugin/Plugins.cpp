//===- Plugins.cpp - Passes, targets and frontends from outside -----------===//
#include "tilewright/compiler/Plugins.h"

#include "tileir/diagnostics/DiagnosticData.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/mlir/Registry.h"
#include "tilewright/runtime/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <cmath>
#include <dlfcn.h>

namespace tilewright {

void Registry::noteProblem(std::string problem) {
  if (firstProblem.empty())
    firstProblem = std::move(problem);
}

void Registry::noteClash(bool isNew, const char *what,
                         const std::string &name) {
  if (!isNew)
    noteProblem(std::string(what) + " '" + name + "' is there already");
}

void Registry::addPass(std::string name, CreatePass create,
                       std::optional<Relation> relation) {
  noteClash(!findPass(name), "pass", name);
  // It is a word of the list of passes: "a,b(c{d=e})".
  const bool isWord = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.';
  });
  if (!isWord)
    noteProblem("pass '" + name +
                "': expected a name of letters, digits, '-', '_' and '.'");
  if (relation &&
      !(relation->distance >= 0 && std::isfinite(relation->distance)))
    noteProblem("pass '" + name +
                "': expected a distance that is not "
                "negative, found " +
                relation->text());
  allPasses.push_back({std::move(name), std::move(create), relation});
}

const Registry::NamedPass *Registry::findPass(std::string_view name) const {
  const auto found = llvm::find_if(
      allPasses, [&](const NamedPass &pass) { return pass.name == name; });
  return found == allPasses.end() ? nullptr : &*found;
}

void Registry::addTarget(const target::GpuTarget &target) {
  std::string name(target.name);
  bool isNew = !target::findGpuTarget(name) && name != "cpu" &&
               name != "interpreter" &&
               targets.try_emplace(name, target).second;
  noteClash(isNew, "target", name);
  const bool isComplete =
      target.major > 0 && target.ptxVersion > 0 && target.blockShared() > 0 &&
      target.multiprocessorWarps > 0 && target.multiprocessorBlocks > 0;
  if (!isComplete)
    noteProblem("target '" + name +
                "': expected all numbers of it, found one of 0");
}

void Registry::addFrontend(std::unique_ptr<const frontend::Frontend> frontend) {
  bool isNew = llvm::none_of(allFrontends, [&](const auto &known) {
    return known->name() == frontend->name();
  });
  noteClash(isNew, "frontend", std::string(frontend->name()));
  allFrontends.push_back(std::move(frontend));
}

namespace {
/// A function that reads tile kernels, as a frontend.
class Importer : public frontend::Frontend {
public:
  Importer(std::string extension, Registry::Import read)
      : extension(std::move(extension)), read(std::move(read)),
        title("a " + this->extension + " file") {}

  std::string_view name() const override { return title; }
  std::vector<std::string> extensions() const override { return {extension}; }
  bool recognizes(std::string_view) const override { return false; }
  bool isForKernels() const override { return true; }

  StatusOr<frontend::ImportedModel>
  import(mlir::MLIRContext &, const ModelSource &source,
         const frontend::ImportOptions &) const override {
    StatusOr<TileModule> module = read(source.bytes());
    if (!module.ok())
      return module.status().prefixed(source.path().string());
    frontend::ImportedModel imported;
    imported.kernels = *std::move(module);
    return imported;
  }

private:
  std::string extension;
  Registry::Import read;
  std::string title;
};
} // namespace

void Registry::addImporter(std::string extension, Import import) {
  addFrontend(
      std::make_unique<Importer>(std::move(extension), std::move(import)));
}

const target::GpuTarget *Registry::findTarget(std::string_view name) const {
  auto found = targets.find(name);
  return found == targets.end() ? nullptr : &found->second;
}

Plugins::Plugins() : added(std::make_unique<Registry>()) {}
Plugins::~Plugins() = default;

/// Loads one plug-in and registers its extensions.
static Status loadOne(const std::filesystem::path &path, Registry &registry) {
  auto reject = [&](StatusCode code, const std::string &why) {
    return Status(code, "plug-in '" + path.string() + "': " + why);
  };
  // Code that passes of it may still run must never go.
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *why = ::dlerror();
    return reject(StatusCode::notFound, why ? why : "cannot be loaded");
  }
  const auto *abi =
      static_cast<const PluginAbi *>(::dlsym(library, "tilewrightPluginAbi"));
  using Entry = void (*)(Registry &, Status &);
  auto entry = reinterpret_cast<Entry>(::dlsym(library, "tilewrightPlugin"));
  if (!abi || !entry)
    return reject(StatusCode::invalidInput,
                  "expected the entry that TILEWRIGHT_PLUGIN defines, found "
                  "none");
  if (abi->version != pluginVersion)
    return reject(StatusCode::unsupported,
                  "expected version " + std::to_string(pluginVersion) +
                      " of plug-ins, found " + std::to_string(abi->version) +
                      ": build it again");
  if (std::string_view(abi->llvm) != LLVM_VERSION_STRING)
    return reject(StatusCode::unsupported,
                  "expected LLVM " LLVM_VERSION_STRING ", found " +
                      std::string(abi->llvm) + ": build it again");
  Status status;
  entry(registry, status);
  if (!status.ok())
    return reject(status.code(), status.message());
  if (!registry.problem().empty())
    return reject(StatusCode::invalidInput, registry.problem());
  return {};
}

StatusOr<std::shared_ptr<const Plugins>>
Plugins::load(std::span<const std::filesystem::path> paths) {
  std::shared_ptr<Plugins> plugins(new Plugins());
  for (const std::filesystem::path &path : paths) {
    // Without a slash the loader would search folders of the system.
    std::error_code error;
    std::filesystem::path full = std::filesystem::absolute(path, error);
    TILEWRIGHT_RETURN_IF_ERROR(loadOne(full, *plugins->added));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto file, runtime::MappedFile::open(full));
    llvm::BLAKE3 hasher;
    hasher.update({reinterpret_cast<const uint8_t *>(file->bytes().data()),
                   file->bytes().size()});
    plugins->identityText += llvm::toHex(hasher.final()) + " ";
  }
  return std::shared_ptr<const Plugins>(std::move(plugins));
}

StatusOr<TileModule> Plugins::import(const std::filesystem::path &path) const {
  const std::string extension = path.extension().string();
  auto found = llvm::find_if(added->frontends(), [&](const auto &each) {
    return llvm::is_contained(each->extensions(), extension);
  });
  if (found == added->frontends().end())
    return Status::unsupported("'" + path.string() +
                               "': no plug-in imports files of this name");
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source, ModelSource::file(path));
  mlir::DialectRegistry dialects;
  (*found)->registerDialects(dialects);
  mlir::MLIRContext context(dialects, mlir::MLIRContext::Threading::DISABLED);
  prepareContext(context);
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          errors += (errors.empty() ? "" : "\n") +
                    locationPrefix(diagnostic.getLocation()) + diagnostic.str();
      });
  StatusOr<frontend::ImportedModel> imported =
      (*found)->import(context, source, {});
  // As for models: the message at a location is more specific.
  if (!imported.ok() && !errors.empty())
    return Status::invalidInput(errors);
  if (!imported.ok())
    return imported.status();
  std::optional<TileModule> kernels = frontend::kernelsOf(*imported, source);
  if (!kernels)
    return Status::unsupported("'" + path.string() +
                               "': expected tile kernels, found " +
                               std::string((*found)->name()));
  return *std::move(kernels);
}

} // namespace tilewright
