// The errors of a compiled model: against exact arithmetic.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/support/Export.h"
#include "verify/numerics/OpPrecision.h"
#include "verify/validate/GivenInputs.h"
#include <functional>
#include <memory>

namespace tilewright::verify {

struct NumericsOptions {
  /// Inputs by name; the others are made.
  GivenInputs given;
  uint64_t seed = 0;
  /// Elements of each output that are compared.
  int64_t samples = 1000;
  /// Whether the code of a file of --stop-after is run on this machine.
  bool resume = false;
  /// For the exact results, about.
  RunTime time{60};
  /// For a run of what was compiled.
  RunTime timeOfRun{600};
  /// Of tests: called behind each pass to code, with its flag, to change what
  /// it has left, as if it were a wrong pass; bounds are those without.
  std::function<void(const std::string &pass, mlir::ModuleOp)> hook = {};
};

/// The greatest of some numbers, and the element that has it: no index if there
/// is none but zeros.
struct Greatest {
  double value = 0;
  runtime::Shape index;
};

/// What random rounding says about an element without a bound: an estimate of
/// how many decimal digits roundings spoil.
struct LostDigits {
  double lost = 0;
  /// So many has its type.
  double of = 0;
  runtime::Shape index = {};
  /// It loses most of so many elements, in so many runs.
  int64_t elements = 0;
  size_t runs = 0;
};

/// How far the elements of an output are from the exact ones.
struct OutputErrors {
  Port port;
  runtime::Shape shape;
  /// Of all elements those that were compared.
  int64_t elements = 0, compared = 0;
  Greatest absolute = {};
  /// In units in the last place that the exact number has in the output's type;
  /// of integers the same as `absolute`.
  Greatest ulps = {};
  /// In units of the element's bound; only of a target that has bounds.
  Greatest byBound = {};
  /// Elements whose error is greater than their bound, and elements that have
  /// none but infinity.
  int64_t exceeded = 0, unbounded = 0;
  /// Of elements without a bound, if there are some.
  std::optional<LostDigits> lostDigits = {};
};

/// What the roundings of one kernel do to errors.
struct KernelShare {
  std::string kernel;
  int64_t launches = 0;
  /// The greatest bound of a number that it writes, if what it reads is exact;
  /// infinite where nothing is known.
  double own = 0;
  /// By output: of its greatest finite bound the part that would be gone if
  /// this kernel were exact, and those before it.
  std::vector<double> shares;
};

struct TargetErrors {
  std::vector<std::string> targets;
  std::vector<OutputErrors> outputs;
  std::vector<runtime::HostTensor> computed;
  /// By how much at most each element is from the exact one, as f64; none if
  /// there are no bounds.
  std::vector<runtime::HostTensor> bounds;
  /// Why there are none.
  std::string whyNoBounds;
  /// Why no digits are estimated where bounds are missing; empty: they are, or
  /// are not needed.
  std::string whyNoDigits;
  /// In the order in which they run; none for a single kernel, for a model of
  /// very many launches, or where time runs out.
  std::vector<KernelShare> kernels;
};

/// What less precision in one op of the model, or in those of one node, does to
/// the outputs.
struct RankedOp {
  /// That of its node, or "linalg.matmul:12"; and the names of its ops.
  std::string name, op;
  /// Among all ops that the precision changes, in the order of the model.
  size_t number = 0;
  /// By output: the greatest error if all other ops are exact; infinite where
  /// the program then has no result.
  std::vector<Greatest> alone = {};
  /// Of the sum of these errors of all ops.
  std::vector<double> shares = {};
  /// By output: the greatest error if this op computes in f32, and all others
  /// with less precision. None where there was no time, or the op adds nothing.
  std::vector<Greatest> without = {};
  /// Why there is no result; empty: there is.
  std::string failure = {};
};

/// Ops that are kept in f32, so that no error is greater than it may be.
struct KeptOps {
  double mostError = 0;
  /// Their numbers among all ops that the precision changes, as in RankedOp.
  std::vector<size_t> ops = {};
  /// By output the greatest errors of a run with exactly these in f32.
  std::vector<Greatest> errors = {};
  /// Whether all are at most `mostError`. Not, if f32 alone is not enough.
  bool isReached = false;
  /// Time ran out: fewer may do.
  bool isLate = false;
};

/// The ops that a precision changes, computed by the reference of graphs.
struct OpRanking {
  /// Their names.
  std::vector<std::string> outputs = {};
  /// Those that add most to an output first.
  std::vector<RankedOp> ops = {};
  /// How many ops there are, and for how many there was no time.
  size_t count = 0, unknown = 0;
  /// By output the greatest errors if all ops have the precision, and if none
  /// has; nothing if there are no such ops, or no time.
  std::vector<Greatest> all = {}, none = {};
  /// If an error was given that none may exceed, and there was time to rank.
  std::optional<KeptOps> kept = {};
};

/// A model with inputs and exact results. For one thread.
class TILEWRIGHT_PRIVATE_API Numerics {
public:
  /// Errors: those of an import; it is no graph; it is not defined on the
  /// inputs, or has no exact results.
  static StatusOr<std::unique_ptr<Numerics>>
  open(const ModelSource &model, CompileModelOptions compile,
       const NumericsOptions &options);
  Numerics(const Numerics &) = delete;
  Numerics &operator=(const Numerics &) = delete;
  ~Numerics();

  [[nodiscard]] const Signature &signature() const;
  [[nodiscard]] const std::vector<runtime::HostTensor> &inputs() const;
  /// The exact outputs as f64; NaN where an element was not computed.
  [[nodiscard]] const std::vector<runtime::HostTensor> &exact() const;
  /// Compiles the model for the target of `compile`, and runs it on its device:
  /// the CPU or the emulator. Bounds are of its order of operations. Errors:
  /// those of a compilation; the run fails.
  StatusOr<TargetErrors> measure(CompileModelOptions compile);
  /// Which ops of the model add most to its errors if they have `precision`.
  /// With `mostError` also which to keep in f32, so that no error is greater:
  /// few, found greedily, and measured. Errors: it is no graph, or has an op
  /// without a meaning in f64.
  StatusOr<OpRanking> rankOps(OpPrecision precision,
                              std::optional<double> mostError = std::nullopt);

private:
  struct State;
  explicit Numerics(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace tilewright::verify
