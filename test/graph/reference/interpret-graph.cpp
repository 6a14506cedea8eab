//===- interpret-graph.cpp - A module of the graph level on the reference -===//
//
// Runs a function of linalg on tensors as graph/reference does: no pass runs.
//
//   interpret-graph FILE.mlir [--input NAME=X.npy]... [--output-dir DIR]
//                   [--sample N] [--ops N] [--freedom order|roundings]
//                   [--arithmetic exact]
//       Runs @main, else the only public function. An argument or a result has
//       the name that the attribute graph.name gives it, else inputI or
//       outputI. A file may have more dimensions than its argument if the last
//       ones have size 1. Each result is written as DIR/NAME.npy. With --sample
//       only some N elements of each result are computed, the first and the
//       last among them; the others are 0, and DIR/NAME.sampled.npy says which
//       ones are. --ops is the limit of ops. Prints how many ops have run.
//       With --freedom the permitted elements of NAME are from those of
//       DIR/NAME.least.npy to those of DIR/NAME.greatest.npy, as f64, and
//       perhaps NaN where DIR/NAME.nan.npy is 1, or any value where it is 2.
//       Exit code 3 says that the run is not determined. With --arithmetic
//       exact the module runs in exact arithmetic; floats are written as f64.
//
//===----------------------------------------------------------------------===//
#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"
#include "graph/reference/GraphReference.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/Npy.h"
#include "verify/exact/ExactProgram.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

using namespace tilewright;

namespace {
struct Arguments {
  std::string file, outputDir = ".";
  std::map<std::string, std::string> inputs;
  std::optional<int64_t> sample;
  bool isExact = false;
  graph::reference::ReferenceOptions options;
};
} // namespace

static std::optional<Arguments> parseArguments(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with("--") && arguments.file.empty()) {
      arguments.file = word;
      continue;
    }
    if (++i == argc)
      return std::nullopt;
    std::string value = argv[i];
    size_t equals = value.find('=');
    if (word == "--output-dir")
      arguments.outputDir = value;
    else if (word == "--sample")
      arguments.sample = std::stoll(value);
    else if (word == "--freedom" && (value == "order" || value == "roundings"))
      arguments.options.freedom.freedom = value == "order"
                                              ? reference::Freedom::order
                                              : reference::Freedom::roundings;
    else if (word == "--arithmetic" && value == "exact")
      arguments.isExact = true;
    else if (word == "--ops")
      arguments.options.mostOps = std::stoull(value);
    else if (word == "--input" && equals != std::string::npos)
      arguments.inputs[value.substr(0, equals)] = value.substr(equals + 1);
    else
      return std::nullopt;
  }
  if (arguments.file.empty())
    return std::nullopt;
  return arguments;
}

/// As the frontend of modules chooses: @main, else the only public function.
static mlir::func::FuncOp functionOf(mlir::ModuleOp module) {
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main"))
    return main;
  mlir::func::FuncOp only;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isPrivate() || function.isExternal())
      continue;
    if (only)
      return {};
    only = function;
  }
  return only;
}

static std::string nameOr(mlir::Attribute name, const char *kind,
                          unsigned number) {
  if (auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(name))
    return text.str();
  return kind + std::to_string(number);
}

static StatusOr<runtime::DType> dtypeOf(mlir::Type type) {
  std::string name = mlir::debugString(type);
  if (type.isF128())
    name = "f64";
  if (type.isIndex())
    name = "i64";
  else if (type.isInteger(1))
    name = "bool";
  else if (type.isUnsignedInteger())
    name.erase(name.begin() + 1); // ui8 is u8.
  std::optional<runtime::DType> dtype = runtime::dtypeFromName(name);
  if (!dtype)
    return Status::invalidInput("no .npy file holds elements of type " + name);
  return *dtype;
}

/// A file's numbers, in the shape that the argument's type has.
static StatusOr<graph::reference::Array> readInput(const std::string &path,
                                                   mlir::Type type) {
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::readNpy(path));
  graph::reference::Array array;
  array.shape.assign(tensor.shape().begin(), tensor.shape().end());
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  size_t rank = ranked ? size_t(ranked.getRank()) : 0;
  while (array.shape.size() > rank && array.shape.back() == 1)
    array.shape.pop_back();
  const size_t bytes = runtime::dtypeBytes(tensor.dtype());
  for (size_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, tensor.data() + i * bytes, bytes);
    array.bits.push_back(bits);
  }
  return array;
}

static Status writeNumbers(const std::filesystem::path &path,
                           runtime::DType dtype, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<uint64_t> bits) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::HostTensor tensor,
      runtime::HostTensor::allocate(dtype, {shape.begin(), shape.end()}));
  const size_t bytes = runtime::dtypeBytes(dtype);
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(tensor.data() + i * bytes, &bits[i], bytes);
  return runtime::writeNpy(path, tensor);
}

/// Some positions, with the first and the last, in order.
static std::vector<int64_t> samplePositions(int64_t count, int64_t number) {
  std::set<int64_t> positions = {0, count - 1};
  std::mt19937_64 random(1);
  for (int64_t i = 2; i < number; ++i)
    positions.insert(int64_t(random() % uint64_t(count)));
  return {positions.begin(), positions.end()};
}

/// All positions, or those that are sampled.
static std::vector<int64_t> positionsOf(int64_t count,
                                        const Arguments &arguments) {
  if (arguments.sample && count > 0)
    return samplePositions(count, *arguments.sample);
  std::vector<int64_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

static llvm::SmallVector<int64_t> indexOf(llvm::ArrayRef<int64_t> shape,
                                          int64_t position) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= shape[d])
    index[d] = position % shape[d];
  return index;
}

static Status writeSampled(graph::reference::GraphReference &run,
                           unsigned number, runtime::DType dtype,
                           const std::string &name,
                           const Arguments &arguments) {
  llvm::ArrayRef<int64_t> shape = run.shape(number);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<uint64_t> bits(count), sampled(count);
  for (int64_t position : positionsOf(count, arguments)) {
    auto element = run.element(number, indexOf(shape, position));
    if (failed(element) || element->isPoison())
      return Status::invalidInput(name + " has an element without a value");
    bits[position] = element->getType().isF128()
                         ? std::bit_cast<uint64_t>(element->toDouble())
                         : element->toBits().getZExtValue();
    sampled[position] = 1;
  }
  const std::filesystem::path folder = arguments.outputDir;
  TILEWRIGHT_RETURN_IF_ERROR(
      writeNumbers(folder / (name + ".npy"), dtype, shape, bits));
  return writeNumbers(folder / (name + ".sampled.npy"), runtime::DType::I8,
                      shape, sampled);
}

/// The sets of all elements, or of those that are sampled.
static Status writeSets(graph::reference::GraphReference &run, unsigned number,
                        const std::string &name, const Arguments &arguments) {
  llvm::ArrayRef<int64_t> shape = run.shape(number);
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1),
                                        std::multiplies<>());
  std::vector<uint64_t> least(count), greatest(count), kinds(count);
  for (int64_t position : positionsOf(count, arguments)) {
    auto set = run.permitted(number, indexOf(shape, position));
    if (failed(set))
      return Status::invalidInput(name + " has an element without a value");
    least[position] = std::bit_cast<uint64_t>(set->least);
    greatest[position] = std::bit_cast<uint64_t>(set->greatest);
    kinds[position] = set->isAny ? 2 : set->mayBeNaN;
  }
  const std::filesystem::path folder = arguments.outputDir;
  TILEWRIGHT_RETURN_IF_ERROR(writeNumbers(folder / (name + ".least.npy"),
                                          runtime::DType::F64, shape, least));
  TILEWRIGHT_RETURN_IF_ERROR(writeNumbers(
      folder / (name + ".greatest.npy"), runtime::DType::F64, shape, greatest));
  return writeNumbers(folder / (name + ".nan.npy"), runtime::DType::I8, shape,
                      kinds);
}

static Status writeResults(graph::reference::GraphReference &run,
                           mlir::func::FuncOp function,
                           const Arguments &arguments) {
  for (unsigned number = 0; number < run.resultCount(); ++number) {
    const std::string name =
        nameOr(function.getResultAttr(number, "graph.name"), "output", number);
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::DType dtype,
        dtypeOf(mlir::getElementTypeOrSelf(function.getResultTypes()[number])));
    if (arguments.options.freedom.freedom != reference::Freedom::none)
      TILEWRIGHT_RETURN_IF_ERROR(writeSets(run, number, name, arguments));
    if (arguments.sample || arguments.isExact) {
      TILEWRIGHT_RETURN_IF_ERROR(
          writeSampled(run, number, dtype, name, arguments));
      continue;
    }
    mlir::FailureOr<graph::reference::Array> all = run.all(number);
    if (failed(all))
      return Status::invalidInput("the module has a fault");
    TILEWRIGHT_RETURN_IF_ERROR(writeNumbers(
        std::filesystem::path(arguments.outputDir) / (name + ".npy"), dtype,
        all->shape, all->bits));
  }
  std::printf("%llu ops\n", static_cast<unsigned long long>(run.opCount()));
  return Status();
}

static Status interpret(const Arguments &arguments, bool &isDetermined) {
  mlir::DialectRegistry registry;
  graph::registerModuleDialects(registry);
  registry.insert<graph::GraphDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  prepareContext(context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      arguments.file, mlir::ParserConfig(&context));
  if (!module)
    return Status::invalidInput(arguments.file + " does not parse");
  mlir::func::FuncOp function = functionOf(*module);
  if (!function)
    return Status::invalidInput("expected @main or one public function");
  std::vector<graph::reference::Array> inputs;
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    const std::string name =
        nameOr(function.getArgAttr(number, "graph.name"), "input", number);
    auto found = arguments.inputs.find(name);
    if (found == arguments.inputs.end())
      return Status::invalidInput("input '" + name + "' is not given");
    TILEWRIGHT_ASSIGN_OR_RETURN(
        inputs.emplace_back(),
        readInput(found->second, function.getArgumentTypes()[number]));
  }
  mlir::OwningOpRef<mlir::ModuleOp> exact;
  if (arguments.isExact) {
    auto made = verify::makeExact(function);
    if (failed(made))
      return Status::invalidInput("the module has no exact results");
    exact = std::move(*made);
    function = exact->lookupSymbol<mlir::func::FuncOp>(function.getSymName());
  }
  auto run = graph::reference::GraphReference::create(function, inputs,
                                                      arguments.options);
  if (failed(run))
    return Status::invalidInput("the module has a fault, or is not supported");
  isDetermined = !run->undetermined().op;
  if (!isDetermined)
    return Status::invalidInput("not determined: " + run->undetermined().what);
  return writeResults(*run, function, arguments);
}

int main(int argc, char **argv) {
  std::optional<Arguments> arguments = parseArguments(argc, argv);
  if (!arguments) {
    std::fprintf(stderr, "usage: interpret-graph FILE.mlir [--input "
                         "NAME=X.npy]... [--output-dir DIR] [--sample N] "
                         "[--ops N] [--freedom order|roundings] "
                         "[--arithmetic exact]\n");
    return 2;
  }
  bool isDetermined = true;
  Status status = interpret(*arguments, isDetermined);
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : isDetermined ? 1 : 3;
}
