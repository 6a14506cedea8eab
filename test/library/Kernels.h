// Kernels and helpers shared by the library's tests.
#ifndef TILEWRIGHT_TEST_LIBRARY_KERNELS_H
#define TILEWRIGHT_TEST_LIBRARY_KERNELS_H

#include "tilewright/compiler/CompileRequest.h"
#include <filesystem>

namespace tilewright::test {

/// b = 2 * a, 64 elements a program.
inline const std::string twice = R"(
tile.kernel @twice(%A: !tile.view<?xf32>, %B: !tile.view<?xf32>)
    grid affine_map<()[n, m] -> (n ceildiv 64)> {
  %i = tile.program_id
  %a = tile.load %A[%i] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
  %b = arith.addf %a, %a : tensor<64xf32>
  tile.store %b, %B[%i] : tensor<64xf32>, !tile.view<?xf32>
})";

/// A product of matrices whose steps of depth are a tunable; large enough that
/// each phase takes some time.
inline const std::string product = R"(
tile.kernel @product(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>,
                     %C: !tile.view<?x?xf32>)
    grid affine_map<()[M, K, L, N, P, Q] -> (M ceildiv 64, N ceildiv 64)> {
  %i, %j = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %step = tile.tunable "step" of [1, 2, 4]
  %K = tile.count %A, 1 by 32 : !tile.view<?x?xf32>
  %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> tensor<64x64xf32> {
    %a = tile.load %A[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %b = tile.load %B[%k, %j] pad 0.0 : !tile.view<?x?xf32> -> tensor<32x64xf32>
    %n = tile.dot %a, %b, %acc : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %n : tensor<64x64xf32>
  }
  %e = math.tanh %sum : tensor<64x64xf32>
  tile.store %e, %C[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
})";

inline CompileRequest requestFor(std::string text,
                                 std::string target = "sm_90a") {
  CompileRequest request;
  request.module = {std::move(text), "k.mlir"};
  request.target = std::move(target);
  return request;
}

/// All that an image consists of, as bytes to compare.
inline std::string bytesOf(const KernelImage &image) {
  std::string text = runtime::printKernelManifest(image.manifest);
  for (const std::string &part :
       {image.code, image.scheduled, image.loops, image.llvmIr, image.assembly,
        image.schedule.schedule.text(), image.schedule.reason,
        image.explanation})
    text += part + "\n";
  return text;
}

/// A folder that is gone at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::filesystem::path path;

  /// The files below it, without folders, sorted.
  std::vector<std::filesystem::path> files() const;
  /// Removes all that is in it.
  void clear() const;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_LIBRARY_KERNELS_H
