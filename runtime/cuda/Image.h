// Kernel images for GPUs: what they are, and that a driver can read them.
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

/// Recognizes an image. The driver is told no size: it reads a text up to its
/// NUL and a cubin as far as its headers say. So a cubin whose headers point
/// beyond its end is rejected here, and a text with a NUL in it too.
StatusOr<ImageKind> checkImage(std::span<const std::byte> image);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_IMAGE_H
