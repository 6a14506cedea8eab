//===- ModelSource.cpp - Where a model is read from -----------------------===//
#include "tilewright/compiler/ModelSource.h"

namespace tilewright {

StatusOr<ModelSource> ModelSource::file(std::filesystem::path path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto mapped, runtime::MappedFile::open(path));
  std::span<const std::byte> bytes = mapped->bytes();
  ModelSource source(
      std::move(path),
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  source.mapped = std::move(mapped);
  return source;
}

ModelSource ModelSource::memory(std::filesystem::path name,
                                std::string_view bytes) {
  return {std::move(name), bytes};
}

ModelSource
ModelSource::program(std::filesystem::path name,
                     std::shared_ptr<const torch::Program> program) {
  ModelSource source(std::move(name), {});
  source.torch = std::move(program);
  return source;
}

} // namespace tilewright
