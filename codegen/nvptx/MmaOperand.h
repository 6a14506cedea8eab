//===- MmaOperand.h - Operands of matrix instructions -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_MMAOPERAND_H
#define TILEWRIGHT_CODEGEN_NVPTX_MMAOPERAND_H

#include "codegen/layout/MatrixAccess.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/SharedLocation.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "codegen/tilegpu/TileGpu.h"
#include <map>

namespace tilewright::nvptx {

/// The fragments of one operand of `tilegpu.mma`. A warp loads each when its
/// first instruction needs it. What a thread holds of a fragment is in words:
/// i32, or f64 where that is the element.
class MmaOperand {
public:
  /// Of an operand in shared memory, as `registers` if it were loaded.
  static mlir::FailureOr<MmaOperand>
  inMemory(Emission &e, tilegpu::MmaOp op,
           mlir::TypedValue<tilegpu::SharedType> memory,
           const layout::Layout &registers);
  /// Of a tile that is in the registers.
  static MmaOperand ofTile(Emission &e, mlir::Value tile);

  /// How fragments of `registersOfFragment` elements become words of
  /// `instruction`. Must be called once, before words().
  void become(const target::MatrixInstruction &instruction,
              tilegpu::DotSide side, tile::DotPrecision precision,
              int64_t registersOfFragment);

  /// The words of a part of a fragment; 0 is the largest, or the only one.
  mlir::SmallVector<mlir::Value> words(Emission &e, int64_t fragment,
                                       int32_t part);

private:
  mlir::SmallVector<mlir::Value> wholeWords(Emission &e, int64_t fragment);
  void load(Emission &e, size_t instruction);

  layout::MatrixAccess access;
  SharedLocation location;
  mlir::Type element;
  unsigned registersOfWord = 1;
  /// For each word: the instruction that loads it, and its value when it did.
  std::vector<int32_t> loadedBy;
  mlir::SmallVector<mlir::Value> loaded;

  const target::MatrixInstruction *instruction = nullptr;
  int64_t registersOfFragment = 0;
  tile::DotPrecision precision = tile::DotPrecision::ieee;
  tilegpu::DotSide side = tilegpu::DotSide::lhs;
  /// The words of all parts of fragments that were used.
  std::map<int64_t, mlir::SmallVector<mlir::SmallVector<mlir::Value>>> parts;
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_MMAOPERAND_H
