#include "verify/numerics/Bounds.h"

#include "verify/validate/ErrorBounds.h"
#include <algorithm>
#include <chrono>
#include <cmath>

namespace tilewright::verify {

using runtime::HostTensor;
using Clock = std::chrono::steady_clock;

/// Kernels of so many launches are looked at.
static constexpr size_t mostLaunches = 64;

static size_t findPort(const std::vector<Port> &ports, const Port &wanted) {
  return size_t(std::ranges::find(ports, wanted.name, &Port::name) -
                ports.begin());
}

namespace {
/// The element of an output that has the greatest finite bound.
struct Peak {
  size_t element = 0;
  double bound = 0;

  explicit Peak(const BoundedOutput &output) {
    for (auto [i, each] : llvm::enumerate(output.bounds))
      if (std::isfinite(each) && each > bound)
        *this = Peak(i, each);
  }

private:
  Peak(size_t element, double bound) : element(element), bound(bound) {}
};

/// Runs a program with more and more exact kernels.
class ShareFinder {
public:
  ShareFinder(BoundedProgram &program, std::span<const HostTensor> inputs,
              const ErrorBounds &all)
      : program(program), inputs(inputs), launches(all.launches) {
    for (const BoundedOutput &output : all.outputs)
      peaks.emplace_back(output);
  }
  StatusOr<std::vector<KernelShare>> find(RunTime time);

private:
  KernelShare &shareOf(const std::string &kernel);

  BoundedProgram &program;
  std::span<const HostTensor> inputs;
  const std::vector<std::string> &launches;
  std::vector<Peak> peaks;
  std::vector<KernelShare> shares;
};
} // namespace

KernelShare &ShareFinder::shareOf(const std::string &kernel) {
  auto found = std::ranges::find(shares, kernel, &KernelShare::kernel);
  if (found != shares.end())
    return *found;
  return shares.emplace_back(
      KernelShare{kernel, 0, 0, std::vector<double>(peaks.size())});
}

/// What is left of the bounds if one launch more is exact is what the others
/// behind it add.
StatusOr<std::vector<KernelShare>> ShareFinder::find(RunTime time) {
  const auto start = Clock::now();
  std::vector<double> left(peaks.size(), 1);
  for (size_t exact = 1; exact <= launches.size(); ++exact) {
    if (Clock::now() - start > time)
      return std::vector<KernelShare>();
    TILEWRIGHT_ASSIGN_OR_RETURN(ErrorBounds bounds,
                                program.run(inputs, {.exactLaunches = exact}));
    if (!bounds.undetermined.empty())
      return std::vector<KernelShare>();
    KernelShare &share = shareOf(launches[exact - 1]);
    ++share.launches;
    for (size_t i = 0; i < peaks.size(); ++i) {
      if (peaks[i].bound == 0)
        continue;
      const double rest =
          bounds.outputs[i].bounds[peaks[i].element] / peaks[i].bound;
      share.shares[i] += left[i] - rest;
      left[i] = rest;
    }
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(auto own, program.runByKernel(inputs));
  for (const KernelErrorBound &launch : own) {
    double &greatest = shareOf(launch.kernel).own;
    greatest = std::max(greatest, launch.bound);
  }
  return std::move(shares);
}

/// By the outputs of `code`, as all else here.
static std::vector<KernelShare>
inOrderOf(const Signature &code, const Signature &own,
          const std::vector<KernelShare> &found) {
  std::vector<KernelShare> shares = found;
  for (auto [share, from] : llvm::zip_equal(shares, found))
    for (size_t i = 0; i < code.outputs.size(); ++i)
      share.shares[i] = from.shares[findPort(own.outputs, code.outputs[i])];
  return shares;
}

StatusOr<TargetBounds> boundsOf(const ModelSource &model,
                                CompileModelOptions compile,
                                const Program &code,
                                std::span<const HostTensor> inputs,
                                RunTime time) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto program,
                              BoundedProgram::open(model, std::move(compile)));
  std::vector<HostTensor> own;
  for (const Port &port : program->signature().inputs)
    own.push_back(inputs[findPort(code.signature().inputs, port)]);
  TILEWRIGHT_ASSIGN_OR_RETURN(ErrorBounds found,
                              program->run(own, {.mostTime = time}));
  if (!found.undetermined.empty())
    return Status::unsupported(found.undetermined);
  TargetBounds bounds;
  for (const Port &port : code.signature().outputs) {
    const BoundedOutput &output =
        found.outputs[findPort(program->signature().outputs, port)];
    TILEWRIGHT_ASSIGN_OR_RETURN(
        bounds.bounds.emplace_back(),
        HostTensor::allocate(runtime::DType::F64, output.computed.shape()));
    std::ranges::copy(output.bounds, bounds.bounds.back().as<double>().begin());
  }
  if (found.launches.size() < 2 || found.launches.size() > mostLaunches)
    return bounds;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto shares,
                              ShareFinder(*program, own, found).find(time));
  bounds.kernels = inOrderOf(code.signature(), program->signature(), shares);
  return bounds;
}

} // namespace tilewright::verify
