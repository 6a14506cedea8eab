//===- ModelInputs.cpp - The inputs of a model to run ---------------------===//
#include "tools/tilewright/ModelInputs.h"

#include "support/Format.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>

namespace tilewright::tool {

using runtime::HostTensor;
using runtime::InterfaceTensor;

bool isLength(const std::string &name) { return name.ends_with("[]"); }

/// Checks a number of elements that is given for a sequence or an optional
/// value. It is known since the model was compiled.
static Status checkLength(const runtime::Model &model, const std::string &name,
                          const std::vector<int64_t> &given) {
  const std::string list = name.substr(0, name.size() - 2);
  const int64_t count = std::ranges::count_if(
      model.manifest().inputs, [&](const InterfaceTensor &input) {
        return input.name == list || input.name.starts_with(list + "[");
      });
  if (given.size() == 1 && given[0] == count)
    return {};
  return Status::invalidInput(
      format("--input-shape {}: the model was compiled for {} elements of "
             "'{}'\n  the model's inputs: {}",
             {name, count, list, model.describeInputs()}));
}

/// Checks that each name on the command line is an input.
static Status checkNames(const runtime::Model &model, const UserInputs &given) {
  std::vector<std::string> known;
  for (const InterfaceTensor &input : model.manifest().inputs)
    known.push_back(input.name);
  auto check = [&](const auto &names, const char *option) -> Status {
    for (const auto &[name, value] : names)
      if (!isLength(name) &&
          std::find(known.begin(), known.end(), name) == known.end())
        return Status::notFound(format(
            "{}: there is no input '{}'{}\n  the model's inputs: {}",
            {option, name, didYouMean(name, known), model.describeInputs()}));
    return {};
  };
  TILEWRIGHT_RETURN_IF_ERROR(check(given.files, "--input"));
  TILEWRIGHT_RETURN_IF_ERROR(check(given.scalars, "--scalar"));
  TILEWRIGHT_RETURN_IF_ERROR(check(given.data.shapes, "--input-shape"));
  for (const auto &[name, shape] : given.data.shapes)
    if (isLength(name))
      TILEWRIGHT_RETURN_IF_ERROR(checkLength(model, name, shape));
  for (const InterfaceTensor &input : model.manifest().inputs) {
    if (!given.scalars.count(input.name))
      continue;
    if (!input.shape.empty())
      return Status::invalidInput(format(
          "--scalar {}: the input is a tensor, {}; give --input {}=FILE.npy",
          {input.name, runtime::printTensorType(input.dtype, input.shape),
           input.name}));
  }
  return {};
}

static Status setGiven(runtime::Session &session, const InterfaceTensor &input,
                       const HostTensor &tensor, const std::string &file) {
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor own, tensor.clone());
  TILEWRIGHT_ASSIGN_OR_RETURN(own, takenAs(input.dtype, own));
  return session.setInput(input.name, own, file);
}

/// The shape for random data.
static StatusOr<runtime::Shape> shapeOfRandom(const InterfaceTensor &input,
                                              const UserInputs &given) {
  if (auto found = given.data.shapes.find(input.name);
      found != given.data.shapes.end())
    return runtime::Shape(found->second);
  runtime::Shape shape;
  for (const runtime::Expression &size : input.shape) {
    if (!size.constant())
      return Status::invalidInput(format(
          "input '{}' has no data and its shape {} is not fixed\n"
          "  give --input {}=FILE.npy, or --input-shape {}=... for random data",
          {input.name, runtime::printTensorType(input.dtype, input.shape),
           input.name, input.name}));
    shape.push_back(*size.constant());
  }
  return shape;
}

StatusOr<bool> setInputs(runtime::Session &session, const UserInputs &given,
                         uint64_t seed) {
  TILEWRIGHT_RETURN_IF_ERROR(checkNames(session.model(), given));
  std::mt19937_64 generator(seed);
  bool usedSeed = false;
  for (const InterfaceTensor &input : session.model().manifest().inputs) {
    if (auto tensor = given.data.tensors.find(input.name);
        tensor != given.data.tensors.end()) {
      TILEWRIGHT_RETURN_IF_ERROR(
          setGiven(session, input, tensor->second, given.files.at(input.name)));
      continue;
    }
    if (auto text = given.scalars.find(input.name);
        text != given.scalars.end()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          HostTensor scalar,
          scalarTensor(input.name, input.dtype, text->second));
      TILEWRIGHT_RETURN_IF_ERROR(
          session.setInput(input.name, scalar, "--scalar"));
      continue;
    }
    if (input.shape.empty() && !given.data.shapes.count(input.name))
      return Status::invalidInput(
          format("input '{}' has no value: it is a scalar of type {}\n"
                 "  give --scalar {}=NUMBER",
                 {input.name, runtime::dtypeName(input.dtype), input.name}));
    usedSeed = true;
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::Shape shape,
                                shapeOfRandom(input, given));
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                                randomTensor(input.dtype, shape, generator));
    TILEWRIGHT_RETURN_IF_ERROR(
        session.setInput(input.name, tensor, "random data"));
  }
  return usedSeed;
}

} // namespace tilewright::tool
