#include "verify/numerics/Inputs.h"

#include "support/Format.h"
#include "verify/validate/Elements.h"
#include "verify/validate/InputMaker.h"
#include <algorithm>
#include <cmath>

namespace tilewright::verify {

using runtime::HostTensor;
using runtime::Shape;

/// The share of float results that are finite numbers.
static double finiteShare(const std::vector<HostTensor> &outputs) {
  int64_t finite = 0, count = 1;
  for (const HostTensor &output : outputs) {
    if (!semanticsOf(output.dtype()))
      continue;
    for (size_t i = 0; i < output.size(); ++i)
      finite += std::isfinite(toDouble(output.dtype(), bitsOf(output, i)));
    count += int64_t(output.size());
  }
  return count == 1 ? 1 : double(finite) / double(count - 1);
}

namespace {
/// Runs a program on what may be its inputs.
class InputSearch {
public:
  InputSearch(Program &program, const GivenInputs &given, uint64_t seed)
      : program(program), ports(program.signature().inputs), given(given),
        random(seed) {}

  /// Tries inputs of these shapes.
  Status tryShapes(const std::vector<Shape> &shapes);
  [[nodiscard]] bool isDone() const { return share >= 1; }
  StatusOr<std::vector<HostTensor>> best() const {
    if (inputs)
      return *inputs;
    return Status::invalidInput(program.name() +
                                " is defined on none of the inputs that were "
                                "tried; give --input NAME=FILE.npy\n  " +
                                why);
  }

private:
  StatusOr<std::vector<HostTensor>> make(const std::vector<Shape> &shapes,
                                         Filling floats, Filling integers);

  Program &program;
  const std::vector<Port> &ports;
  const GivenInputs &given;
  std::mt19937_64 random;
  /// Those with the most finite results so far, and how many there are.
  std::optional<std::vector<HostTensor>> inputs;
  double share = -1;
  /// Why the last run is not defined.
  std::string why;
};
} // namespace

StatusOr<std::vector<HostTensor>>
InputSearch::make(const std::vector<Shape> &shapes, Filling floats,
                  Filling integers) {
  FillContext context{program.hints(), {}, random};
  for (const Shape &shape : shapes)
    context.sizes.insert(context.sizes.end(), shape.begin(), shape.end());
  std::vector<HostTensor> made;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (auto found = given.find(ports[i].name); found != given.end()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(made.emplace_back(),
                                  givenInput(program, ports[i], found->second));
      continue;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(
        made.emplace_back(), HostTensor::allocate(ports[i].dtype, shapes[i]));
    fill(made.back(), semanticsOf(ports[i].dtype) ? floats : integers, context);
  }
  return made;
}

Status InputSearch::tryShapes(const std::vector<Shape> &shapes) {
  for (Filling floats : {Filling::normal, Filling::positive, Filling::ones})
    for (Filling integers :
         {Filling::indices, Filling::small, Filling::zeros, Filling::ones}) {
      if (isDone())
        return {};
      TILEWRIGHT_ASSIGN_OR_RETURN(auto made, make(shapes, floats, integers));
      TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program.run(made, 0));
      // Of a large model nobody knows before the exact run.
      if (outcome.kind == Outcome::Kind::unfinished) {
        inputs = std::move(made);
        share = 1;
        return {};
      }
      if (outcome.kind != Outcome::Kind::completed) {
        why = outcome.message;
        continue;
      }
      if (const double found = finiteShare(outcome.outputs); found > share) {
        share = found;
        inputs = std::move(made);
      }
    }
  return {};
}

static bool isOpen(const Port &port) {
  return std::ranges::any_of(port.shape, [](int64_t size) { return size < 0; });
}

StatusOr<std::vector<HostTensor>>
chooseInputs(Program &program, const GivenInputs &given, uint64_t seed) {
  const Signature &signature = program.signature();
  TILEWRIGHT_RETURN_IF_ERROR(checkNames(program, given));
  std::vector<HostTensor> all;
  bool areAllGiven = true, isAnyOpen = false;
  std::vector<Shape> shapes;
  for (const Port &port : signature.inputs) {
    shapes.push_back(port.shape);
    if (auto found = given.find(port.name); found != given.end()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(all.emplace_back(),
                                  givenInput(program, port, found->second));
      shapes.back() = found->second.shape();
      continue;
    }
    areAllGiven = false;
    isAnyOpen |= isOpen(port);
    if (isOpen(port) && !given.empty())
      return Status::invalidInput(
          format("input '{}' has no data, and its shape is open: {}; give "
                 "--input {}=FILE.npy",
                 {port.name, portText(port), port.name}));
  }
  if (areAllGiven)
    return all;
  InputSearch search(program, given, seed);
  if (!isAnyOpen) {
    TILEWRIGHT_RETURN_IF_ERROR(search.tryShapes(shapes));
    return search.best();
  }
  InputMaker maker(signature, program.hints(), seed, 1);
  TILEWRIGHT_RETURN_IF_ERROR(maker.learnSizes(
      [&](std::span<const HostTensor> inputs) -> StatusOr<bool> {
        TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program.run(inputs, 0));
        return outcome.kind == Outcome::Kind::completed;
      }));
  for (int64_t size : {8, 16, 4, 5, 6, 7, 3, 2, 1, 64})
    if (!search.isDone())
      TILEWRIGHT_RETURN_IF_ERROR(search.tryShapes(maker.space().shapes(
          std::vector<int64_t>(maker.space().count(), size))));
  return search.best();
}

} // namespace tilewright::verify
