#include "Harness.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/mlir/Compile.h"

#include "tileir/reference/HostLaunch.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Launch.h"
#include "verify/scheduled/ScheduledOps.h"
#include <cmath>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace tilewright;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::kerneltest {

namespace {
/// One context for all kernels; collects the errors it reports. It has no
/// threads: the process may fork.
struct Session {
  Session() {
    prepareContext(context);
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            errors += diagnostic.str() + "\n";
        });
  }
  static Session &get() {
    static Session session;
    return session;
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    errors.clear();
    return parseSourceString<ModuleOp>(text, &context);
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string errors;
};

/// The memory of one view or pointer as bit patterns of its elements.
struct Array {
  Type element;
  std::vector<uint64_t> bits;
  SmallVector<int64_t> dims, strides;
  bool isView = false, isPointer = false;
  bool isMemory() const { return isView || isPointer; }
};
} // namespace

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static uint64_t encode(Type type, double number) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat value(number);
    bool lost = false;
    value.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &lost);
    return value.bitcastToAPInt().getZExtValue();
  }
  if (type.isInteger(1))
    return number > 0;
  uint64_t all = widthOf(type) == 64 ? ~0ull : (1ull << widthOf(type)) - 1;
  return static_cast<uint64_t>(static_cast<int64_t>(std::floor(number))) & all;
}

static APFloat decode(Type type, uint64_t bits) {
  return APFloat(cast<FloatType>(type).getFloatSemantics(),
                 APInt(widthOf(type), bits));
}

/// Bits as bytes: each element has whole ones.
static std::vector<uint8_t> bytesOf(const Array &array) {
  unsigned width = widthOf(array.element);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < array.bits.size(); ++i) {
    for (unsigned b = 0; b < std::max(8u, width); b += 8)
      bytes.push_back(array.bits[i] >> b);
  }
  bytes.resize(std::max<size_t>(bytes.size(), 8));
  return bytes;
}

static std::vector<uint64_t> bitsOf(const Array &array,
                                    const std::vector<uint8_t> &bytes) {
  unsigned width = widthOf(array.element);
  std::vector<uint64_t> bits(array.bits.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    if (width == 4) {
      bits[i] = bytes[i] & 15;
      continue;
    }
    unsigned size = std::max(8u, width) / 8;
    for (unsigned b = 0; b < size; ++b)
      bits[i] |= uint64_t(bytes[i * size + b]) << (8 * b);
  }
  return bits;
}

static void fill(Array &array, int64_t count, const Input &input,
                 std::mt19937_64 &random) {
  std::uniform_real_distribution<double> range(input.low, input.high);
  unsigned width = widthOf(array.element);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    if (!input.bits.empty())
      bits = input.bits[i % input.bits.size()];
    else if (!input.values.empty())
      bits = encode(array.element, input.values[i % input.values.size()]);
    else if (input.anyBits)
      bits = random() >> (64 - width);
    else
      bits = encode(array.element, range(random));
    array.bits.push_back(bits);
  }
}

static Array makeArray(Type argument, const Input &input,
                       std::mt19937_64 &random) {
  if (auto pointer = dyn_cast<tile::PtrType>(argument)) {
    Array array{pointer.getPointee(), {}, {}, {}, false, true};
    fill(array, input.dims.empty() ? 1 : input.dims[0], input, random);
    return array;
  }
  auto type = dyn_cast<tile::ViewType>(argument);
  if (!type)
    return {};
  Array array{type.getElementType(), {}, {}, {}, true, false};
  array.dims.assign(input.dims.begin(), input.dims.end());
  if (array.dims.empty())
    array.dims.assign(type.getShape().begin(), type.getShape().end());
  array.strides.assign(input.strides.begin(), input.strides.end());
  if (array.strides.empty())
    array.strides.assign(type.getStrides().begin(), type.getStrides().end());
  int64_t count = 1;
  if (array.strides.empty()) {
    for (int64_t size : array.dims)
      count *= size;
  } else {
    for (auto [size, stride] : llvm::zip(array.dims, array.strides))
      count += (size - 1) * stride;
  }
  fill(array, count, input, random);
  return array;
}

/// Runs on the interpreter; the arrays become the results.
static std::string runReference(tile::KernelOp kernel,
                                std::vector<Array> &arrays,
                                ArrayRef<Input> inputs,
                                const reference::LaunchOptions &options = {}) {
  std::vector<std::vector<uint8_t>> bytes(arrays.size());
  SmallVector<reference::HostArgument> arguments;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    if (!array.isMemory()) {
      if (isa<FloatType>(kernel.getArgumentTypes()[i]))
        arguments.push_back(static_cast<double>(inputs[i].low));
      else
        arguments.push_back(inputs[i].scalar);
      continue;
    }
    bytes[i] = bytesOf(array);
    arguments.push_back(reference::HostBuffer{
        bytes[i].data(), static_cast<int64_t>(bytes[i].size()), array.dims,
        array.strides, true});
  }
  if (failed(reference::interpretOnHost(kernel, arguments, options)))
    return "interpreter: " + Session::get().errors;
  for (auto [i, array] : llvm::enumerate(arrays))
    if (array.isMemory())
      array.bits = bitsOf(array, bytes[i]);
  return "";
}

namespace {
/// Memory of this process between pages where no access is legal: it ends at
/// one of them, or begins there.
class FencedMemory {
public:
  FencedMemory(const std::vector<uint8_t> &bytes, bool atEnd) {
    auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    size_t open = llvm::alignTo(bytes.size(), page);
    size = open + 2 * page;
    void *mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    start = static_cast<uint8_t *>(mapped);
    if (mapped == MAP_FAILED || ::mprotect(start, page, PROT_NONE) != 0 ||
        ::mprotect(start + page + open, page, PROT_NONE) != 0)
      llvm::report_fatal_error("no memory for a fenced array");
    data = {start + page + (atEnd ? open - bytes.size() : 0), bytes.size()};
    rest = {atEnd ? start + page : data.end(), open - bytes.size()};
    llvm::copy(bytes, data.begin());
    std::memset(rest.data(), kPattern, rest.size());
  }
  ~FencedMemory() { ::munmap(start, size); }
  FencedMemory(const FencedMemory &) = delete;
  FencedMemory &operator=(const FencedMemory &) = delete;

  /// Whether nothing was written outside the array.
  bool isWhole() const {
    return llvm::all_of(rest, [](uint8_t byte) { return byte == kPattern; });
  }

  MutableArrayRef<uint8_t> data;

private:
  static constexpr uint8_t kPattern = 0xA5;
  MutableArrayRef<uint8_t> rest;
  uint8_t *start;
  size_t size;
};
} // namespace

/// Runs `image` of `kernel` on a device; the arrays become the results. On the
/// cpu device they are fenced.
static Status runDevice(runtime::Device *device, const KernelImage &image,
                        tile::KernelOp kernel, std::vector<Array> &arrays,
                        ArrayRef<Input> inputs) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::shared_ptr<runtime::Module> code,
      device->loadModule(std::as_bytes(std::span(image.code))));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Kernel> loaded,
                              code->kernel(image.manifest));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Stream> stream,
                              device->createStream());
  std::vector<std::shared_ptr<runtime::Buffer>> buffers;
  std::vector<runtime::LaunchArgument> arguments;
  std::vector<std::vector<uint8_t>> bytes(arrays.size());
  std::vector<std::shared_ptr<FencedMemory>> fenced(arrays.size());
  for (auto [i, array] : llvm::enumerate(arrays)) {
    buffers.emplace_back();
    if (!array.isMemory()) {
      Type type = kernel.getArgumentTypes()[i];
      arguments.push_back(runtime::LaunchArgument::integer(
          isa<FloatType>(type)
              ? static_cast<int64_t>(encode(type, inputs[i].low))
              : inputs[i].scalar));
      continue;
    }
    bytes[i] = bytesOf(array);
    if (device->info().name == "cpu") {
      fenced[i] = std::make_shared<FencedMemory>(bytes[i], i % 3 != 2);
      TILEWRIGHT_ASSIGN_OR_RETURN(
          buffers[i],
          device->inPlace(std::as_writable_bytes(std::span(
                              fenced[i]->data.data(), bytes[i].size())),
                          fenced[i]));
    } else {
      TILEWRIGHT_ASSIGN_OR_RETURN(buffers[i],
                                  device->allocate(bytes[i].size()));
      TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(
          *buffers[i], 0, bytes[i].data(), bytes[i].size()));
    }
    if (array.isPointer) {
      arguments.push_back(runtime::LaunchArgument::integer(
          static_cast<int64_t>(buffers[i]->address())));
      continue;
    }
    arguments.push_back(runtime::LaunchArgument::view(
        *buffers[i], runtime::Shape(array.dims.begin(), array.dims.end()),
        runtime::Shape(array.strides.begin(), array.strides.end())));
  }
  TILEWRIGHT_RETURN_IF_ERROR(runtime::launch(*stream, *loaded, arguments));
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  for (auto [i, array] : llvm::enumerate(arrays)) {
    if (!array.isMemory())
      continue;
    if (fenced[i]) {
      llvm::copy(fenced[i]->data, bytes[i].begin());
      if (!fenced[i]->isWhole())
        return Status::internal("writes beside argument " + std::to_string(i));
    } else {
      TILEWRIGHT_RETURN_IF_ERROR(
          stream->copyToHost(bytes[i].data(), *buffers[i], 0, bytes[i].size()));
      TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
    }
    array.bits = bitsOf(array, bytes[i]);
  }
  return {};
}

/// The number of floats of the type between two; 0 for two NaNs.
static int64_t distance(Type type, uint64_t x, uint64_t y) {
  APFloat a = decode(type, x), b = decode(type, y);
  if (a.isNaN() || b.isNaN())
    return a.isNaN() && b.isNaN() ? 0 : INT64_MAX;
  if (isa<Float8E8M0FNUType>(type))
    return x > y ? x - y : y - x;
  uint64_t sign = 1ull << (widthOf(type) - 1);
  auto order = [&](uint64_t bits) {
    return static_cast<int64_t>(bits & sign ? -(bits & ~sign) : bits);
  };
  int64_t difference = 0;
  if (llvm::SubOverflow(order(x), order(y), difference))
    return INT64_MAX;
  return std::abs(difference);
}

static std::string show(Type type, uint64_t bits) {
  llvm::SmallString<32> text;
  if (isa<FloatType>(type))
    decode(type, bits).toString(text, 12);
  else
    APInt(widthOf(type), bits).toStringSigned(text);
  return text.str().str();
}

static double asDouble(Type type, uint64_t bits) {
  APFloat value = decode(type, bits);
  bool lost = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

static void compareArrays(const std::vector<Array> &expected,
                          const std::vector<Array> &found,
                          ArrayRef<Input> inputs, Tolerance all,
                          Result &result) {
  for (size_t v = 0; v < expected.size(); ++v) {
    Tolerance tolerance = inputs[v].tolerance;
    tolerance = {std::max(tolerance.ulps, all.ulps),
                 std::max(tolerance.absolute, all.absolute)};
    for (size_t i = 0; i < expected[v].bits.size(); ++i) {
      Type type = expected[v].element;
      uint64_t x = expected[v].bits[i], y = found[v].bits[i];
      if (x == y)
        continue;
      // Only where they differ: the decimals of a float take long.
      auto location = [&] {
        return "view " + std::to_string(v) + ", element " + std::to_string(i) +
               ": expected " + show(type, x) + ", found " + show(type, y);
      };
      if (!isa<FloatType>(type)) {
        if (result.error.empty())
          result.error = location();
        continue;
      }
      int64_t ulps = distance(type, x, y);
      if (ulps > result.worst) {
        result.worst = ulps;
        result.worstLocation = location();
      }
      bool isExact = tolerance.ulps == 0 && tolerance.absolute == 0;
      bool isSameZero = ulps != 0 || decode(type, x).isNaN();
      bool isClose = (ulps <= tolerance.ulps && (!isExact || isSameZero)) ||
                     (tolerance.absolute > 0 &&
                      std::abs(asDouble(type, x) - asDouble(type, y)) <=
                          tolerance.absolute);
      if (!isClose && result.error.empty())
        result.error = location() + ", " + std::to_string(ulps) + " ulp";
    }
  }
}

MLIRContext &kernelContext() { return Session::get().context; }

struct Comparison::Data {
  OwningOpRef<ModuleOp> module;
  tile::KernelOp kernel;
  std::vector<Input> inputs;
  /// Before and after the interpreter's run.
  std::vector<Array> start, expected;
};

Comparison::Comparison(const std::string &text, std::vector<Input> inputs,
                       uint64_t seed)
    : data(std::make_unique<Data>()) {
  data->module = Session::get().parse(text);
  if (data->module)
    data->kernel = data->module->lookupSymbol<tile::KernelOp>("k");
  if (!data->kernel) {
    failed = "parser: " + Session::get().errors;
    return;
  }
  inputs.resize(data->kernel.getNumArguments());
  data->inputs = std::move(inputs);
  std::mt19937_64 random(seed);
  for (auto [type, input] :
       llvm::zip(data->kernel.getArgumentTypes(), data->inputs))
    data->start.push_back(makeArray(type, input, random));
  data->expected = data->start;
  failed = runReference(data->kernel, data->expected, data->inputs);
}

Comparison::~Comparison() = default;

tile::KernelOp Comparison::kernel() const { return data->kernel; }

Result Comparison::run(const KernelImage &image, const std::string &name,
                       Tolerance tolerance) const {
  auto device = runtime::openDevice(name);
  if (!device.ok())
    return {.error = name + ": " + device.status().message()};
  return run(image, **device, tolerance);
}

Result Comparison::run(const KernelImage &image, runtime::Device &device,
                       Tolerance tolerance) const {
  Result result;
  std::vector<Array> found = data->start;
  Status status = runDevice(&device, image, data->kernel, found, data->inputs);
  if (!status.ok())
    result.error = device.info().name + ": " + status.message();
  else
    compareArrays(data->expected, found, data->inputs, tolerance, result);
  return result;
}

Result Comparison::run(tile::KernelOp scheduled, Tolerance tolerance,
                       bool copiesLandLate) const {
  Result result;
  std::vector<Array> found = data->start;
  reference::LaunchOptions options;
  options.moreOps = &verify::scheduledOps(copiesLandLate);
  result.error = runReference(scheduled, found, data->inputs, options);
  if (result.error.empty())
    compareArrays(data->expected, found, data->inputs, tolerance, result);
  return result;
}

Result compareScheduled(const std::string &text,
                        const schedule::GpuSchedule &schedule,
                        std::vector<Input> inputs, uint64_t seed,
                        llvm::function_ref<void(tile::KernelOp)> edit) {
  Comparison comparison(text, std::move(inputs), seed);
  if (!comparison.error().empty())
    return {.error = comparison.error()};
  TimingScope untimed;
  CompileOptions options;
  options.verifyEach = true;
  StatusOr<OwningOpRef<ModuleOp>> scheduled =
      scheduleForGpu(comparison.kernel(), *target::findGpuTarget("sm_90a"),
                     schedule, untimed, options);
  if (!scheduled.ok())
    return {.error = "schedule: " + scheduled.status().message()};
  auto kernel = (*scheduled)->lookupSymbol<tile::KernelOp>("k");
  edit(kernel);
  return comparison.run(kernel);
}

Result compareRuns(const std::string &text, std::vector<Input> inputs,
                   Tolerance tolerance, uint64_t seed,
                   const schedule::CpuSchedule &schedule) {
  Comparison comparison(text, std::move(inputs), seed);
  if (!comparison.error().empty())
    return {.error = comparison.error()};
  CompileOptions options;
  options.verifyEach = true;
  options.cpuSchedule = schedule;
  StatusOr<KernelImage> image =
      compile(comparison.kernel(), cpu::hostTarget(), options);
  if (!image.ok())
    return {.error = "device: " + image.status().message()};
  return comparison.run(*image, "cpu", tolerance);
}

Result compareOnEmulator(const std::string &text, const KernelImage &image,
                         std::vector<Input> inputs, Tolerance tolerance,
                         uint64_t seed) {
  Comparison comparison(text, std::move(inputs), seed);
  if (!comparison.error().empty())
    return {.error = comparison.error()};
  return comparison.run(image, "emulator", tolerance);
}

StatusOr<KernelImage> compileForGpu(const std::string &text,
                                    const target::GpuTarget &target,
                                    const schedule::GpuSchedule &schedule) {
  OwningOpRef<ModuleOp> module = Session::get().parse(text);
  if (!module)
    return Status::invalidInput("parser: " + Session::get().errors);
  CompileOptions options;
  options.verifyEach = true;
  options.schedule = schedule;
  return compile(module->lookupSymbol<tile::KernelOp>("k"), target, options);
}

/// The kernel `k` of `text` for this machine.
static StatusOr<KernelImage>
compileForHost(const std::string &text,
               const schedule::CpuSchedule &schedule = {}) {
  OwningOpRef<ModuleOp> module = Session::get().parse(text);
  if (!module)
    return Status::invalidInput("parser: " + Session::get().errors);
  CompileOptions options;
  options.verifyEach = true;
  options.cpuSchedule = schedule;
  return compile(module->lookupSymbol<tile::KernelOp>("k"), cpu::hostTarget(),
                 options);
}

std::string rejection(const std::string &text,
                      const schedule::CpuSchedule &schedule) {
  auto image = compileForHost(text, schedule);
  return image.ok() ? "" : image.status().message();
}

int64_t scratchOf(const std::string &text) {
  auto image = compileForHost(text);
  return image.ok() ? int64_t(image->manifest.scratch) : -1;
}

} // namespace tilewright::kerneltest
