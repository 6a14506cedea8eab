// The tables of forms of one instruction set of the host.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_TABLES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_TABLES_H

#include "runtime/emulator/numeric/Isa.h"
#include "runtime/emulator/program/Form.h"

namespace tilewright::emulator {

// The same for all.
std::span<const Form> controlForms();
std::span<const Form> barrierForms();
std::span<const Form> asyncCopyForms();
std::span<const Form> asyncStoreForms();
std::span<const Form> bulkCopyForms();
std::span<const Form> mbarrierForms();
std::span<const Form> tensorCopyForms();
std::span<const Form> tensorMapForms();
std::span<const Form> matrixForms();
std::span<const Form> matrixMoveForms();
std::span<const Form> videoForms();

inline namespace TILEWRIGHT_ISA {

std::span<const Form> integerForms();
std::span<const Form> bitForms();
std::span<const Form> carryForms();
std::span<const Form> floatForms();
std::span<const Form> smallFloatForms();
std::span<const Form> mixedFloatForms();
std::span<const Form> approximateForms();
std::span<const Form> compareForms();
std::span<const Form> moveForms();
std::span<const Form> convertForms();
std::span<const Form> convertSmallForms();
std::span<const Form> memoryForms();
std::span<const Form> atomicForms();
std::span<const Form> warpForms();

/// All of them.
std::span<const std::span<const Form>> allForms();

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_TABLES_H
