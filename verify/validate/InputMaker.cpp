#include "verify/validate/InputMaker.h"

#include <algorithm>

namespace tilewright::verify {

using runtime::HostTensor;
using runtime::Shape;

/// A run takes as long as that many elements more.
static constexpr double kElementsOfRun = 64;

Filling Chances::choose(std::mt19937_64 &random) const {
  std::discrete_distribution<unsigned> choice(weights.begin(), weights.end());
  return Filling(choice(random));
}

void Chances::count(Filling filling, bool isDefined) {
  Count &own = counts[size_t(filling)];
  ++(isDefined ? own.defined : own.undefined);
  weights[size_t(filling)] =
      std::max(0.03, (own.defined + 1) / (own.defined + own.undefined + 1));
}

InputMaker::InputMaker(const Signature &signature, Hints hints, uint64_t seed,
                       double mostSeconds)
    : signature(signature), hints(std::move(hints)), mostSeconds(mostSeconds),
      random(seed ^ 0x9e3779b97f4a7c15), sizes(signature),
      candidates(SizeSpace::candidates(this->hints)),
      chances(signature.inputs.size()) {
  planCorners();
}

/// Each filling, and each size in each dimension, smallest first.
void InputMaker::planCorners() {
  corners.clear();
  for (int repeat = 0; repeat < 4; ++repeat)
    for (unsigned filling = 0; filling < fillingCount; ++filling)
      corners.push_back(
          {std::vector<int64_t>(sizes.count(), 5), Filling(filling)});
  for (int64_t size : candidates)
    for (size_t group = 0; group < sizes.count(); ++group)
      for (int repeat = 0; repeat < 3; ++repeat) {
        Corner &corner = corners.emplace_back();
        corner.sizes.assign(sizes.count(), 3);
        corner.sizes[group] = size;
      }
}

Status InputMaker::learnSizes(
    const std::function<StatusOr<bool>(std::span<const HostTensor>)> &isDefined,
    std::span<const HostTensor> known) {
  Status failure;
  // Inputs that most programs take; once some are taken, these alone.
  std::vector<Filling> fillings = {Filling::ones, Filling::zeros,
                                   Filling::normal, Filling::indices,
                                   Filling::small};
  auto isDefinedFor = [&](std::span<const Shape> shapes) {
    for (Filling filling : fillings) {
      auto inputs =
          fillAll(shapes, std::vector<Filling>(shapes.size(), filling));
      if (!inputs.ok())
        return false;
      StatusOr<bool> defined = isDefined(*inputs);
      if (!defined.ok())
        failure = defined.status();
      if (!failure.ok())
        return false;
      if (*defined) {
        fillings = {filling};
        return true;
      }
    }
    return false;
  };
  std::vector<Shape> shapes;
  for (const HostTensor &tensor : known)
    shapes.push_back(tensor.shape());
  sizes.learn(isDefinedFor, shapes);
  planCorners();
  return failure;
}

/// What a run will cost, as those so far did.
double InputMaker::expectedSeconds(std::span<const int64_t> chosen) const {
  const double each = elements > 0 ? spent / elements : 1e-6;
  return each * (elementsIn(sizes.shapes(chosen)) + kElementsOfRun);
}

StatusOr<std::vector<HostTensor>>
InputMaker::fillAll(std::span<const Shape> shapes,
                    const std::vector<Filling> &fillings) {
  FillContext context{hints, {}, random};
  for (const Shape &shape : shapes)
    context.sizes.insert(context.sizes.end(), shape.begin(), shape.end());
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        inputs.emplace_back(),
        HostTensor::allocate(signature.inputs[i].dtype, shapes[i]));
    fill(inputs.back(), fillings[i], context);
  }
  return inputs;
}

StatusOr<TestCase> InputMaker::make(std::vector<int64_t> chosen,
                                    std::vector<Filling> fillings) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto inputs,
                              fillAll(sizes.shapes(chosen), fillings));
  return TestCase{std::move(chosen), std::move(fillings), std::move(inputs)};
}

std::vector<Filling> InputMaker::chooseFillings() {
  std::vector<Filling> fillings;
  for (const Chances &own : chances)
    fillings.push_back(own.choose(random));
  // Often all inputs have the same kind of values.
  if (!fillings.empty() && random() % 3 == 0)
    fillings.assign(fillings.size(), fillings.front());
  return fillings;
}

std::vector<int64_t> InputMaker::chooseSizes() {
  std::vector<int64_t> chosen(sizes.count());
  for (int tries = 0; tries < 8; ++tries) {
    for (int64_t &size : chosen)
      switch (random() % 4) {
      case 0:
      case 1:
        size = int64_t(random() % 8);
        break;
      case 2:
        size = int64_t(random() % 100);
        break;
      default:
        size = candidates[random() % candidates.size()];
      }
    if (expectedSeconds(chosen) < mostSeconds / 4)
      return chosen;
  }
  chosen.assign(chosen.size(), int64_t(random() % 5));
  return chosen;
}

StatusOr<TestCase> InputMaker::next() {
  while (!corners.empty()) {
    Corner corner = std::move(corners.front());
    corners.pop_front();
    if (expectedSeconds(corner.sizes) > mostSeconds)
      continue;
    return make(std::move(corner.sizes),
                corner.filling
                    ? std::vector<Filling>(chances.size(), *corner.filling)
                    : chooseFillings());
  }
  return make(chooseSizes(), chooseFillings());
}

void InputMaker::count(const TestCase &test, bool isDefined, double seconds) {
  spent += seconds;
  elements += elementsIn(sizes.shapes(test.sizes)) + kElementsOfRun;
  for (size_t i = 0; i < test.fillings.size(); ++i)
    chances[i].count(test.fillings[i], isDefined);
}

} // namespace tilewright::verify
