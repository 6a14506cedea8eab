//===- FloatBits.h - Conversions between number types -----------*- C++ -*-===//
//
// Emits conversions with any rounding, on scalars or vectors. Floats of 8 bits
// and fewer have no type on a host: they are carried as their bits in an i8.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_FLOATBITS_H
#define TILEWRIGHT_CODEGEN_CPU_FLOATBITS_H

#include "mlir/IR/Builders.h"
#include "tileir/ir/Tile.h"

namespace tilewright::cpu {

/// How a conversion rounds. `random` is an i32 (or a vector of them), for
/// stochastic rounding only.
struct Rounding {
  tile::Rounding mode = tile::Rounding::nearest_even;
  bool saturate = false;
  mlir::Value random = {};
};

/// Whether the type is carried as bits: a float of 8 bits or fewer.
bool isSmallFloat(mlir::Type type);

/// Whether arithmetic on the type is made in a wider one: hosts have none on
/// floats of 16 bits, or flush their subnormals.
bool isNarrowFloat(mlir::Type type);

class FloatBits {
public:
  FloatBits(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  /// The exact value of small floats of type `from` as f32.
  mlir::Value decode(mlir::Value bits, mlir::FloatType from);

  /// A float (not bits) exactly as the wider `to`.
  mlir::Value extend(mlir::Value x, mlir::FloatType to);

  /// A float rounded to a number of `to`: of that type, or bits if it is small.
  mlir::Value round(mlir::Value x, mlir::FloatType to,
                    const Rounding &rounding = {});

  /// An integer of at most 64 bits rounded to a number of `to`.
  mlir::Value fromInteger(mlir::Value x, bool isUnsigned, mlir::FloatType to,
                          const Rounding &rounding = {});

  /// A float rounded to an integer of type `to`. Out of range is poison, or
  /// the nearest integer (0 for NaN) if the rounding saturates.
  mlir::Value toInteger(mlir::Value x, mlir::IntegerType to, bool isUnsigned,
                        const Rounding &rounding = {});

  /// x * y + z of floats that f64 holds exactly, together with their products:
  /// as f64, rounded so that rounding again to 50 bits or fewer is exact.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z);

private:
  mlir::Value toBfloat(mlir::Value x);
  /// A number sig * 2^(exponent - fraction) of known sign.
  struct Parts {
    mlir::Value sig, exponent, isNegative;
    unsigned fraction;
  };
  mlir::Value magnitude(const Parts &parts, mlir::FloatType to,
                        const Rounding &rounding);
  mlir::Value roundsUp(const Parts &parts, mlir::Value rest, mlir::Value shift,
                       mlir::Value isOdd, const Rounding &rounding);
  mlir::Value withOverflow(mlir::Value pattern, mlir::Value isNegative,
                           mlir::FloatType to, const Rounding &rounding);
  mlir::Value withSign(mlir::Value pattern, const Parts &parts,
                       mlir::FloatType to);

  mlir::Type like(mlir::Value shape, mlir::Type element);
  mlir::Value number(mlir::Value shape, uint64_t value);
  mlir::Value real(mlir::Value shape, double value);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_FLOATBITS_H
