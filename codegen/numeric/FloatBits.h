//===- FloatBits.h - Conversions between number types -----------*- C++ -*-===//
//
// Emits conversions with any rounding, on scalars or vectors. Floats of 8 bits
// and fewer have no type in LLVM: they are carried as their bits in an i8.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NUMERIC_FLOATBITS_H
#define TILEWRIGHT_CODEGEN_NUMERIC_FLOATBITS_H

#include "codegen/numeric/ElementTypes.h"
#include "mlir/IR/Builders.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::numeric {

/// How a conversion rounds. `random` is an i32 (or a vector of them), for
/// stochastic rounding only.
struct Rounding {
  tile::Rounding mode = tile::Rounding::nearest_even;
  bool saturate = false;
  mlir::Value random = {};
};

/// A machine's conversions of f8E4M3FN and f8E5M2, on scalars or vectors.
class Float8Conversions {
public:
  virtual ~Float8Conversions() = default;
  /// f32 rounded to nearest, ties to even, as bits: what is too large becomes
  /// the largest number, NaN stays NaN.
  virtual mlir::Value round(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value x, mlir::FloatType to) const = 0;
  /// Bits as f16, exactly.
  virtual mlir::Value decode(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value bits, mlir::FloatType from) const = 0;
};

/// A machine's approximate functions.
class Approximations {
public:
  virtual ~Approximations() = default;
  /// The result of `op`, whose flags allow an approximation, for operands of
  /// f32 or f64, scalars or vectors. Null if there is none.
  virtual mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Operation *op,
                           mlir::ValueRange operands) const = 0;
};

/// What a machine has instructions for that round once and keep subnormals.
/// The rest is made of f32, f64 and integers.
struct Hardware {
  /// Sums, products and comparisons of f16 and bf16; rounding to nearest from
  /// f32 and f64 to f16, and from f32 to bf16. Hosts have none of them for f16,
  /// and flush subnormals of bf16.
  bool halves = false;
  /// Null if there are none; needed as long as what is emitted with them.
  const Float8Conversions *float8 = nullptr;
  /// For ops with the flag afn; likewise.
  const Approximations *approximations = nullptr;

  /// Whether `float8` is there, and for this type.
  [[nodiscard]] bool converts(mlir::Type type) const {
    return float8 &&
           llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
  }
};

class FloatBits {
public:
  FloatBits(mlir::OpBuilder &builder, mlir::Location loc,
            const Hardware &hardware = {})
      : b(builder), loc(loc), hardware(hardware) {}

  /// The exact value of small floats of type `from` as f32.
  mlir::Value decode(mlir::Value bits, mlir::FloatType from);

  /// A float of type `from` (bits if it is small) exactly as a type `to`, f32
  /// or f64, that is as wide or wider.
  mlir::Value toFloat(mlir::Value x, mlir::Type from, mlir::Type to);

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

  /// x * y + z of floats that f64 represents exactly, as it does their
  /// products: as f64, rounded so that rounding again to 50 bits or fewer is
  /// exact.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z);

private:
  mlir::Value extend(mlir::Value x, mlir::FloatType to);
  mlir::Value toBfloat(mlir::Value x);
  mlir::Value toFloat8(mlir::Value x, mlir::FloatType to, bool saturates);
  mlir::Value nearest(mlir::Value x, mlir::FloatType to, bool saturates);
  /// A number sig * 2^(exponent - fraction) of known sign. Of a float,
  /// `magnitude` is its bits without the sign.
  struct Parts {
    mlir::Value sig, exponent, isNegative, magnitude;
    unsigned fraction;
  };
  Parts partsOf(mlir::Value x);
  mlir::Value magnitude(const Parts &parts, mlir::FloatType to,
                        const Rounding &rounding);
  mlir::Value roundsUp(const Parts &parts, mlir::Value rest, mlir::Value shift,
                       mlir::Value isOdd, const Rounding &rounding);
  mlir::Value withOverflow(mlir::Value pattern, mlir::Value isNegative,
                           mlir::FloatType to, const Rounding &rounding);
  mlir::Value withSign(mlir::Value pattern, const Parts &parts,
                       mlir::FloatType to);

  mlir::Value number(mlir::Value shape, uint64_t value);
  mlir::Value real(mlir::Type type, double value);
  mlir::Value real(mlir::Value shape, double value) {
    return real(shape.getType(), value);
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  Hardware hardware;
};

} // namespace tilewright::numeric

#endif // TILEWRIGHT_CODEGEN_NUMERIC_FLOATBITS_H
