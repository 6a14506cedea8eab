//===- ImageFile.h - Kernel images as bytes ---------------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_IMAGEFILE_H
#define TILEWRIGHT_LIBRARY_COMPILER_IMAGEFILE_H

#include "tilewright/codegen/KernelImage.h"
#include "tilewright/manifest/Remark.h"
#include <optional>
#include <string_view>

namespace tilewright {

/// A compilation's entry in a cache.
struct ImageFile {
  KernelImage image;
  std::vector<Remark> remarks;
};

/// The same bytes for the same content; only the same version reads them.
std::string writeImage(const ImageFile &file);
/// None where `bytes` are not what writeImage made.
std::optional<ImageFile> readImage(std::string_view bytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_IMAGEFILE_H
