// Kernel images for GPUs: their format, and whether a driver can read them.
#ifndef TILEWRIGHT_RUNTIME_CUDA_IMAGE_H
#define TILEWRIGHT_RUNTIME_CUDA_IMAGE_H

#include "tilewright/support/Status.h"
#include <cstddef>
#include <span>

namespace tilewright::runtime::cuda {

enum class ImageKind {
  /// PTX, a text that the driver compiles.
  ptx,
  /// A cubin, an ELF file with code for one architecture.
  cubin
};

/// Recognizes an image. The driver gets no size: it reads a text up to its NUL
/// and a cubin as far as its headers say. So this rejects a cubin whose headers
/// point beyond its end, and a text with a NUL in it.
StatusOr<ImageKind> checkImage(std::span<const std::byte> image);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_IMAGE_H
