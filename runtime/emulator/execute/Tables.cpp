#include "runtime/emulator/execute/Tables.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

std::span<const std::span<const Form>> allForms() {
  static const std::span<const Form> tables[] = {
      integerForms(),     bitForms(),          carryForms(),
      floatForms(),       smallFloatForms(),   mixedFloatForms(),
      approximateForms(), compareForms(),      moveForms(),
      convertForms(),     convertSmallForms(), memoryForms(),
      atomicForms(),      controlForms(),      barrierForms(),
      warpForms(),        asyncCopyForms(),    mbarrierForms(),
      bulkCopyForms(),    asyncStoreForms(),   matrixForms(),
      matrixMoveForms(),  tensorCopyForms(),   tensorMapForms(),
      videoForms()};
  return tables;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
