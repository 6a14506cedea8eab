#include "runtime/abi/ManifestJson.h"
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
    for (size_t i = 0; i < package.steps.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(step(i));
    return checksAndFiles();
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

  Status names(const Expression &expression, const std::string &where) {
    for (const std::string &name : expression.names())
      if (!known.contains(name))
        return fail(where, format("unknown symbol '{}'; the symbols are {}",
                                  {name, joinNames(package.symbols)}));
    return {};
  }
  Status names(const std::vector<Expression> &list, const std::string &where) {
    for (size_t i = 0; i < list.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(names(list[i], item(where, i)));
    return {};
  }

  Status buffer(size_t index) {
    const BufferManifest &buffer = package.buffers[index];
    std::string where = item("buffers", index);
    TILEWRIGHT_RETURN_IF_ERROR(names(buffer.bytes, where + ".bytes"));
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
      TILEWRIGHT_RETURN_IF_ERROR(names(tensor.shape, where + ".shape"));
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
      kernelsByName.emplace(kernel.name, &kernel);
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

  Status step(size_t index) {
    const StepManifest &step = package.steps[index];
    std::string where = item("steps", index);
    if (step.copy)
      return copy(*step.copy, where + ".copy");
    auto [first, last] = kernelsByName.equal_range(step.kernel);
    if (first == last)
      return fail(where + ".kernel",
                  format("no kernel is called '{}'", {step.kernel}));
    for (; first != last; ++first)
      TILEWRIGHT_RETURN_IF_ERROR(fits(step, *first->second, where));
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const StepArgument &argument = step.arguments[i];
      std::string path = item(where + ".arguments", i);
      TILEWRIGHT_RETURN_IF_ERROR(names(argument.dims, path + ".dims"));
      TILEWRIGHT_RETURN_IF_ERROR(names(argument.strides, path + ".strides"));
      TILEWRIGHT_RETURN_IF_ERROR(names(argument.scalar, path + ".scalar"));
    }
    return {};
  }

  Status copy(const CopyManifest &copy, const std::string &where) {
    for (auto [key, index] : {std::pair(".from", copy.from), {".to", copy.to}})
      if (index >= package.buffers.size())
        return fail(where + key, format("no buffer {}", {index}));
    const size_t root = rootOf(copy.to);
    if (rootOf(copy.from) == root)
      return fail(where, format("buffer {} would be copied to itself", {root}));
    const BufferManifest::Kind kind = package.buffers[root].kind;
    if (kind == BufferManifest::Kind::weight ||
        kind == BufferManifest::Kind::input)
      return fail(where + ".to",
                  format("expected memory that steps write, found {} {}",
                         {bufferKindName(kind), root}));
    return storageFits(copy.to, where + ".to");
  }

  Status fits(const StepManifest &step, const KernelManifest &kernel,
              const std::string &where) {
    if (step.arguments.size() != kernel.arguments.size())
      return fail(where + ".arguments",
                  format("kernel '{}' takes {} arguments, found {}",
                         {kernel.name, kernel.arguments.size(),
                          step.arguments.size()}));
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const StepArgument &given = step.arguments[i];
      const KernelArgument &taken = kernel.arguments[i];
      std::string path = item(where + ".arguments", i);
      if (given.buffer.has_value() != taken.isView())
        return fail(
            path, format("expected a {}, as kernel '{}' takes",
                         {taken.isView() ? "buffer" : "scalar", kernel.name}));
      if (!taken.isView()) {
        if (given.input) {
          TILEWRIGHT_RETURN_IF_ERROR(elementFits(*given.input, taken, path));
          continue;
        }
        if (taken.dtype &&
            dtypeInfo(*taken.dtype).kind == DTypeKind::floatingPoint)
          return fail(path, "steps cannot pass scalars of type " +
                                std::string(dtypeName(*taken.dtype)));
        continue;
      }
      TILEWRIGHT_RETURN_IF_ERROR(viewFits(given, taken, kernel.name, path));
    }
    return {};
  }

  Status elementFits(size_t input, const KernelArgument &taken,
                     const std::string &path) {
    DType expected = taken.dtype.value_or(DType::I64);
    if (input < package.inputs.size() && package.inputs[input].shape.empty() &&
        package.inputs[input].dtype == expected)
      return {};
    return fail(path + ".input", "expected an input of rank 0 of type " +
                                     std::string(dtypeName(expected)));
  }

  Status viewFits(const StepArgument &given, const KernelArgument &taken,
                  const std::string &kernel, const std::string &path) {
    if (*given.buffer >= package.buffers.size())
      return fail(path + ".buffer", format("no buffer {}", {*given.buffer}));
    if (given.dims.size() != taken.rank)
      return fail(
          path + ".dims",
          format("expected {} dimensions, as kernel '{}' takes, found {}",
                 {taken.rank, kernel, given.dims.size()}));
    if (!given.strides.empty() && given.strides.size() != taken.rank)
      return fail(path + ".strides",
                  format("expected {} strides, found {}",
                         {taken.rank, given.strides.size()}));
    return storageFits(*given.buffer, path);
  }

  /// The buffer at the end of its aliases, which end.
  size_t rootOf(size_t index) const {
    while (package.buffers[index].alias)
      index = *package.buffers[index].alias;
    return index;
  }

  /// Outputs may share the storage of an input, a weight or a state, and are
  /// then copied at the end; a step that is given one would write what is not
  /// an output's.
  Status storageFits(size_t index, const std::string &path) {
    const std::vector<BufferManifest> &buffers = package.buffers;
    if (buffers[index].kind != BufferManifest::Kind::output)
      return {};
    const size_t root = rootOf(index);
    const BufferManifest::Kind kind = buffers[root].kind;
    if (kind != BufferManifest::Kind::weight &&
        kind != BufferManifest::Kind::input &&
        kind != BufferManifest::Kind::state)
      return {};
    return fail(path + ".buffer",
                format("expected memory that steps write, found output {} in "
                       "the memory of {} {}; name buffer {} to read it",
                       {index, bufferKindName(kind), root, root}));
  }

  Status checksAndFiles() {
    for (size_t i = 0; i < package.checks.size(); ++i) {
      std::string where = item("checks", i);
      TILEWRIGHT_RETURN_IF_ERROR(
          names(package.checks[i].that, where + ".that"));
      TILEWRIGHT_RETURN_IF_ERROR(
          names(package.checks[i].equals, where + ".equals"));
    }
    for (const auto &[path, file] : package.files)
      if (!isPackagePath(path))
        return fail(
            "files",
            format("expected a path inside the package, found \"{}\"", {path}));
    return {};
  }

  const PackageManifest &package;
  std::set<std::string> known;
  std::multimap<std::string_view, const KernelManifest *> kernelsByName;
};

} // namespace

Status validate(const PackageManifest &manifest) {
  return Validator(manifest).run();
}

} // namespace tilewright::runtime
