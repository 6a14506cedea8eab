#include "runtime/abi/ManifestJson.h"
#include "runtime/abi/StepValidation.h"
#include "support/Format.h"
#include "tilewright/manifest/PackageManifest.h"
#include <map>
#include <set>

namespace tilewright::runtime {

namespace {
/// Of one kernel for one target.
constexpr size_t maximumVariants = 3;

/// Checks a manifest; each error starts with the JSON path.
class Validator {
public:
  explicit Validator(const PackageManifest &package) : package(package) {}

  Status run() {
    TILEWRIGHT_RETURN_IF_ERROR(symbols());
    all = known;
    TILEWRIGHT_RETURN_IF_ERROR(collectStepSymbols(package.steps, all));
    TILEWRIGHT_RETURN_IF_ERROR(aliases());
    for (size_t i = 0; i < package.buffers.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(buffer(i));
    TILEWRIGHT_RETURN_IF_ERROR(
        interface(package.inputs, "inputs", BufferManifest::Kind::input));
    TILEWRIGHT_RETURN_IF_ERROR(
        interface(package.outputs, "outputs", BufferManifest::Kind::output));
    TILEWRIGHT_RETURN_IF_ERROR(
        interface(package.states, "states", BufferManifest::Kind::state));
    TILEWRIGHT_RETURN_IF_ERROR(states());
    TILEWRIGHT_RETURN_IF_ERROR(symbolsAreBound());
    TILEWRIGHT_RETURN_IF_ERROR(kernels());
    TILEWRIGHT_RETURN_IF_ERROR(checksAndFiles());
    TILEWRIGHT_RETURN_IF_ERROR(validateSteps(package, known));
    return outputSizes();
  }

private:
  static Status fail(const std::string &where, const std::string &message) {
    return Status::invalidInput(format("{}: {}", {where, message}));
  }
  static std::string item(std::string_view list, size_t index) {
    return format("{}[{}]", {list, index});
  }

  Status symbols() {
    for (size_t i = 0; i < package.symbols.size(); ++i) {
      const std::string &symbol = package.symbols[i];
      if (!isExpressionName(symbol))
        return fail(item("symbols", i),
                    format("expected a name, found \"{}\"", {symbol}));
      if (!known.insert(symbol).second)
        return fail(item("symbols", i), format("'{}' stands twice", {symbol}));
    }
    return {};
  }

  Status buffer(size_t index) {
    const BufferManifest &buffer = package.buffers[index];
    std::string where = item("buffers", index);
    const bool isSteps = buffer.kind == BufferManifest::Kind::transient ||
                         buffer.kind == BufferManifest::Kind::output;
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(buffer.bytes, isSteps ? all : known, where + ".bytes"));
    bool needsWeight =
        buffer.kind == BufferManifest::Kind::weight && !buffer.alias;
    if (needsWeight && buffer.weight.empty())
      return fail(where, "a weight needs the key 'weight'");
    if (!needsWeight && !buffer.weight.empty())
      return fail(where + ".weight", "only a weight that is no alias has one");
    if (buffer.kind == BufferManifest::Kind::input && buffer.alias)
      return fail(where + ".alias", "an input cannot be an alias");
    if (buffer.kind == BufferManifest::Kind::state)
      return stateBuffer(buffer, where);
    if (buffer.initial &&
        (buffer.kind != BufferManifest::Kind::output || buffer.alias ||
         *buffer.initial >= package.buffers.size() ||
         package.buffers[*buffer.initial].kind != BufferManifest::Kind::input))
      return fail(where + ".initial",
                  "expected an input's buffer, of an output that is no alias");
    return {};
  }

  /// A state begins with the bytes of a weight, or zeros. It is as large in
  /// each run, whatever the inputs are.
  Status stateBuffer(const BufferManifest &buffer, const std::string &where) {
    if (buffer.alias)
      return fail(where + ".alias", "a state cannot be an alias");
    const std::optional<int64_t> bytes = buffer.bytes.constant();
    if (!bytes || *bytes < 0)
      return fail(where + ".bytes",
                  format("expected a constant, as the buffer is a state, "
                         "found {}",
                         {buffer.bytes.str()}));
    if (!buffer.initial)
      return {};
    const std::vector<BufferManifest> &buffers = package.buffers;
    if (*buffer.initial >= buffers.size() ||
        buffers[*buffer.initial].kind != BufferManifest::Kind::weight ||
        buffers[*buffer.initial].alias)
      return fail(where + ".initial",
                  "expected a weight that is no alias, with which the state "
                  "begins");
    const Expression &initial = buffers[*buffer.initial].bytes;
    if (initial.constant() != bytes)
      return fail(where + ".initial",
                  format("expected a weight of {} bytes, found {}",
                         {*bytes, initial.str()}));
    return {};
  }

  /// Each buffer of kind state is one state, which fills it.
  Status states() {
    std::set<size_t> used;
    for (size_t i = 0; i < package.states.size(); ++i) {
      const InterfaceTensor &state = package.states[i];
      std::string where = item("states", i);
      if (!state.value.empty())
        return fail(where + ".value", "only an input has one");
      if (!used.insert(state.buffer).second)
        return fail(where + ".buffer", "another state has the same buffer");
      int64_t bytes = int64_t(dtypeBytes(state.dtype));
      bool isConstant = true;
      for (const Expression &size : state.shape) {
        const std::optional<int64_t> known = size.constant();
        isConstant &= known && *known >= 0 &&
                      !__builtin_mul_overflow(bytes, *known, &bytes);
      }
      if (!isConstant)
        return fail(where + ".shape",
                    "expected sizes that are constants: a state does not "
                    "change its shape");
      const Expression &held = package.buffers[state.buffer].bytes;
      if (held.constant() != bytes)
        return fail(where + ".shape",
                    format("expected {} bytes, as its buffer has, found {}",
                           {held.str(), bytes}));
    }
    for (size_t i = 0; i < package.buffers.size(); ++i)
      if (package.buffers[i].kind == BufferManifest::Kind::state &&
          !used.contains(i))
        return fail(item("buffers", i), "no state has this buffer");
    return {};
  }

  /// Following aliases must end. Each buffer is passed once.
  Status aliases() {
    const std::vector<BufferManifest> &buffers = package.buffers;
    std::vector<bool> ends(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      std::vector<size_t> passed;
      for (std::optional<size_t> at = i; at; at = buffers[*at].alias) {
        if (*at >= buffers.size())
          return fail(item("buffers", passed.back()) + ".alias",
                      format("no buffer {}", {*at}));
        if (ends[*at])
          break;
        passed.push_back(*at);
        if (passed.size() > buffers.size())
          return fail(item("buffers", i) + ".alias",
                      "the aliases form a circle");
      }
      for (size_t at : passed)
        ends[at] = true;
    }
    return {};
  }

  Status interface(const std::vector<InterfaceTensor> &tensors,
                   std::string_view list, BufferManifest::Kind kind) {
    std::set<std::string> seen;
    std::set<size_t> buffers;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const InterfaceTensor &tensor = tensors[i];
      std::string where = item(list, i);
      if (!seen.insert(tensor.name).second)
        return fail(where + ".name",
                    format("'{}' stands twice", {tensor.name}));
      if (tensor.buffer >= package.buffers.size())
        return fail(where + ".buffer", format("no buffer {}", {tensor.buffer}));
      const BufferManifest &buffer = package.buffers[tensor.buffer];
      if (buffer.kind != kind)
        return fail(
            where + ".buffer",
            format("expected a buffer of kind {}, found {}",
                   {bufferKindName(kind), bufferKindName(buffer.kind)}));
      if (kind == BufferManifest::Kind::input &&
          !buffers.insert(tensor.buffer).second)
        return fail(where + ".buffer", "another input has the same buffer");
      if (dtypeBytes(buffer.dtype) != dtypeBytes(tensor.dtype))
        return fail(where + ".dtype",
                    format("expected the width of the buffer's {}, found {}",
                           {dtypeName(buffer.dtype), dtypeName(tensor.dtype)}));
      if (kind != BufferManifest::Kind::output)
        TILEWRIGHT_RETURN_IF_ERROR(
            checkNames(tensor.shape, known, where + ".shape"));
    }
    return {};
  }

  Status symbolsAreBound() {
    std::set<std::string, std::less<>> bound;
    for (const InterfaceTensor &input : package.inputs)
      for (const Expression &size : input.shape)
        if (std::optional<std::string_view> name = size.name())
          bound.emplace(*name);
    for (size_t i = 0; i < package.symbols.size(); ++i)
      if (!bound.contains(package.symbols[i]))
        return fail(item("symbols", i),
                    format("no input has a dimension that is '{}'",
                           {package.symbols[i]}));
    return {};
  }

  Status kernels() {
    std::map<std::pair<std::string, std::string>,
             std::vector<const KernelManifest *>>
        variants;
    for (size_t i = 0; i < package.kernels.size(); ++i) {
      const KernelManifest &kernel = package.kernels[i];
      std::string where = item("kernels", i);
      Status status = validate(kernel);
      if (!status.ok())
        return Status(status.code(),
                      format("{}.{}", {where, status.message()}));
      // CPU kernels may differ in the features they need.
      auto &same = variants[{
          kernel.name, format("{} {}", {kernel.target, kernel.features})}];
      if (!same.empty() && same.back()->guards.empty())
        return fail(where, format("kernel '{}' for {} is never launched: the "
                                  "variant before it has no guards",
                                  {kernel.name, kernel.target}));
      same.push_back(&kernel);
      if (same.size() > maximumVariants)
        return fail(where,
                    format("expected at most {} variants of kernel '{}' "
                           "for {}",
                           {maximumVariants, kernel.name, kernel.target}));
      if (kernel.arguments != same.front()->arguments)
        return fail(where,
                    format("kernel '{}' for {} takes other arguments than the "
                           "variant before it",
                           {kernel.name, kernel.target}));
    }
    return {};
  }

  /// What inputs or the first list of steps bind is known in the end.
  Status outputSizes() {
    for (size_t i = 0; i < package.outputs.size(); ++i) {
      const InterfaceTensor &output = package.outputs[i];
      const std::string where = item("outputs", i);
      TILEWRIGHT_RETURN_IF_ERROR(
          checkNames(output.shape, known, where + ".shape"));
      TILEWRIGHT_RETURN_IF_ERROR(checkNames(
          package.buffers[output.buffer].bytes, known, where + ".buffer"));
    }
    return {};
  }

  Status checksAndFiles() {
    for (size_t i = 0; i < package.checks.size(); ++i) {
      std::string where = item("checks", i);
      TILEWRIGHT_RETURN_IF_ERROR(
          checkNames(package.checks[i].that, known, where + ".that"));
      TILEWRIGHT_RETURN_IF_ERROR(
          checkNames(package.checks[i].equals, known, where + ".equals"));
    }
    for (const auto &[path, file] : package.files)
      if (!isPackagePath(path))
        return fail(
            "files",
            format("expected a path inside the package, found \"{}\"", {path}));
    return {};
  }

  const PackageManifest &package;
  /// The symbols that inputs bind, then those of the first list of steps too.
  SymbolNames known;
  /// Those of all lists.
  SymbolNames all;
};

} // namespace

Status validate(const PackageManifest &manifest) {
  return Validator(manifest).run();
}

} // namespace tilewright::runtime
