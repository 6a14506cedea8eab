#include "tilewright/manifest/KernelManifest.h"
#include "runtime/abi/ManifestJson.h"
#include "runtime/abi/NumberedNames.h"
#include "support/Format.h"
#include <algorithm>
#include <charconv>
#include <set>

namespace tilewright::runtime {

/// What the numbers of a manifest may be. The reader says where a wrong one is;
/// the writer, which validates, writes none.
constexpr int64_t maxRank = 64, maxScratch = int64_t{1} << 40,
                  maxChunk = 1 << 30, maxThreads = 4096, maxBlock = 1 << 16,
                  maxShared = int64_t{1} << 32;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::optional<unsigned> indexAfter(std::string_view text,
                                   std::string_view prefix, unsigned count) {
  if (!text.starts_with(prefix))
    return std::nullopt;
  text.remove_prefix(prefix.size());
  unsigned index = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() ||
      index >= count)
    return std::nullopt;
  return index;
}

/// Appends `index` to `list` if that keeps it ascending.
static bool appendAscending(std::vector<unsigned> &list, unsigned index) {
  if (!list.empty() && list.back() >= index)
    return false;
  list.push_back(index);
  return true;
}

static KernelArgument readView(const JsonCursor &json) {
  json.allowOnly({"view", "rank", "passed", "name"});
  KernelArgument view = KernelArgument::view(json.at("view").dtype(), 0, {});
  view.rank = static_cast<unsigned>(json.at("rank").integer(0, maxRank));
  bool first = true;
  for (const JsonCursor &word : json.at("passed").elements()) {
    std::string text = word.string();
    bool good = first && text == "pointer";
    if (!first && view.strides.empty())
      if (std::optional<unsigned> dim = indexAfter(text, "dim", view.rank))
        good = appendAscending(view.dims, *dim);
    if (!first)
      if (std::optional<unsigned> stride =
              indexAfter(text, "stride", view.rank))
        good = appendAscending(view.strides, *stride);
    if (!good)
      word.expected(format("pointer, then dimN, then strideN, each ascending "
                           "and below the rank of {}",
                           {view.rank}));
    first = false;
  }
  if (first)
    json.at("passed").expected("a list that starts with \"pointer\"");
  return view;
}

/// By KernelWorkspace::Zeroed.
static constexpr std::string_view zeroedNames[] = {"never", "once", "launch"};

static KernelArgument readScalar(const JsonCursor &json) {
  if (!json.has("scalar")) {
    json.expected("an argument with the key 'view' or 'scalar'");
    return {};
  }
  json.allowOnly({"scalar", "name"});
  if (json.at("scalar").string() == "index")
    return KernelArgument::scalar();
  return KernelArgument::scalar(json.at("scalar").dtype());
}

static KernelArgument readArgument(const JsonCursor &json) {
  KernelArgument argument =
      json.has("view") ? readView(json) : readScalar(json);
  if (json.has("name"))
    argument.name = json.at("name").string();
  return argument;
}

static KernelWorkspace readWorkspace(const JsonCursor &json) {
  json.allowOnly({"bytes", "zeroed"});
  KernelWorkspace workspace;
  workspace.bytes = json.at("bytes").expression();
  const std::string zeroed = json.at("zeroed").string();
  const auto *found = std::ranges::find(zeroedNames, zeroed);
  if (found == std::end(zeroedNames))
    json.at("zeroed").expected("never, once or launch");
  else
    workspace.zeroed = KernelWorkspace::Zeroed(found - zeroedNames);
  return workspace;
}

static Precision readPrecision(const JsonCursor &json) {
  StatusOr<Precision> precision = parseF32Precision(json.string());
  if (precision.ok())
    return *precision;
  json.expected("one of " + joined(f32PrecisionNames()));
  return Precision::ieee;
}

KernelManifest readKernel(const JsonCursor &json) {
  json.allowOnly({"name", "target", "features", "fast_math", "precision",
                  "image", "entry", "arguments", "grid", "workspace", "scratch",
                  "chunk", "threads", "block", "cluster", "shared", "guards"});
  KernelManifest kernel;
  kernel.name = json.at("name").string();
  kernel.target = json.at("target").string();
  if (json.has("features"))
    kernel.features = json.at("features").string();
  if (json.has("fast_math"))
    kernel.fastMath = json.at("fast_math").string();
  if (json.has("precision"))
    kernel.precision = readPrecision(json.at("precision"));
  kernel.image = json.at("image").string();
  kernel.entry = json.at("entry").string();
  for (const JsonCursor &argument : json.at("arguments").elements())
    kernel.arguments.push_back(readArgument(argument));
  kernel.grid = json.at("grid").expressions();
  if (json.has("workspace"))
    kernel.workspace = readWorkspace(json.at("workspace"));
  if (json.has("scratch"))
    kernel.scratch = json.at("scratch").integer(0, maxScratch);
  if (json.has("chunk"))
    kernel.chunk = json.at("chunk").integer(0, maxChunk);
  if (json.has("threads"))
    kernel.threads = json.at("threads").integer(0, maxThreads);
  if (json.has("block"))
    kernel.block = json.at("block").integer(1, maxBlock);
  if (json.has("cluster")) {
    std::vector<JsonCursor> sizes = json.at("cluster").elements();
    if (sizes.size() != 3)
      json.at("cluster").expected("a list of three sizes");
    for (size_t i = 0; i < 3 && i < sizes.size(); ++i)
      kernel.cluster[i] = sizes[i].integer(1, maxBlock);
  }
  if (json.has("shared"))
    kernel.shared = json.at("shared").integer(0, maxShared);
  if (json.has("guards"))
    for (const JsonCursor &guard : json.at("guards").elements())
      kernel.guards.push_back(guard.string());
  return kernel;
}

StatusOr<KernelManifest> parseKernelManifest(std::string_view text) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Json json, parseJson(text));
  Status error;
  KernelManifest kernel = readKernel(JsonCursor(json, "", error));
  TILEWRIGHT_RETURN_IF_ERROR(error);
  TILEWRIGHT_RETURN_IF_ERROR(validate(kernel));
  return kernel;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static Json toJson(const KernelArgument &argument) {
  Json json;
  if (!argument.name.empty())
    json["name"] = argument.name;
  if (!argument.isView()) {
    json["scalar"] = argument.dtype ? std::string(dtypeName(*argument.dtype))
                                    : std::string("index");
    return json;
  }
  json["view"] = dtypeName(*argument.dtype);
  json["rank"] = argument.rank;
  json["passed"] = {"pointer"};
  for (unsigned dim : argument.dims)
    json["passed"].push_back(format("dim{}", {dim}));
  for (unsigned stride : argument.strides)
    json["passed"].push_back(format("stride{}", {stride}));
  return json;
}

Json toJson(const KernelManifest &kernel) {
  Json json;
  json["name"] = kernel.name;
  json["target"] = kernel.target;
  json["features"] = kernel.features;
  if (!kernel.fastMath.empty())
    json["fast_math"] = kernel.fastMath;
  if (kernel.precision != Precision::ieee)
    json["precision"] = precisionName(kernel.precision);
  json["image"] = kernel.image;
  json["entry"] = kernel.entry;
  json["arguments"] = Json::array();
  for (const KernelArgument &argument : kernel.arguments)
    json["arguments"].push_back(toJson(argument));
  json["grid"] = toJson(kernel.grid);
  if (kernel.workspace)
    json["workspace"] = {
        {"bytes", toJson(kernel.workspace->bytes)},
        {"zeroed", zeroedNames[size_t(kernel.workspace->zeroed)]}};
  json["scratch"] = kernel.scratch;
  if (kernel.chunk)
    json["chunk"] = kernel.chunk;
  if (kernel.threads)
    json["threads"] = kernel.threads;
  json["block"] = kernel.block;
  json["cluster"] = kernel.cluster;
  json["shared"] = kernel.shared;
  json["guards"] = kernel.guards;
  return json;
}

std::string printKernelManifest(const KernelManifest &manifest) {
  return printJson(toJson(manifest));
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

static StatusOr<Guard> parseAligned(std::string_view text) {
  std::string_view inner = text.substr(8, text.size() - 9);
  size_t comma = inner.find(',');
  Status malformed = Status::invalidInput(
      format("guard '{}': expected aligned(argN, bytes)", {text}));
  if (comma == std::string_view::npos)
    return malformed;
  std::optional<unsigned> argument =
      indexAfter(trim(inner.substr(0, comma)), "arg", 1u << 16);
  StatusOr<Expression> bytes = Expression::parse(inner.substr(comma + 1));
  if (!argument || !bytes.ok() || bytes->constant().value_or(0) <= 0)
    return malformed;
  return Guard{Guard::Kind::aligned, *argument, 0, {}, *bytes};
}

static StatusOr<Guard> parseDisjoint(std::string_view text) {
  std::string_view inner = text.substr(9, text.size() - 10);
  size_t comma = std::min(inner.find(','), inner.size());
  auto argument = [](std::string_view name) {
    return indexAfter(trim(name), "arg", 1u << 16);
  };
  std::optional<unsigned> one = argument(inner.substr(0, comma));
  std::optional<unsigned> other =
      argument(inner.substr(std::min(comma + 1, inner.size())));
  if (!one || !other || one == other)
    return Status::invalidInput(
        format("guard '{}': expected disjoint(argN, argM)", {text}));
  return Guard{Guard::Kind::disjoint, *one, *other, {}, {}};
}

StatusOr<std::vector<Guard>> parseGuards(const KernelManifest &manifest) {
  std::vector<Guard> guards;
  for (const std::string &text : manifest.guards) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Guard guard, Guard::parse(text));
    guards.push_back(std::move(guard));
  }
  return guards;
}

StatusOr<Guard> Guard::parse(std::string_view text) {
  // Two-character operators come first: "<=" contains "<".
  static constexpr struct {
    std::string_view text;
    Kind kind;
  } operators[] = {{"==", Kind::equal},     {"!=", Kind::notEqual},
                   {"<=", Kind::lessEqual}, {">=", Kind::greaterEqual},
                   {"<", Kind::less},       {">", Kind::greater}};
  text = trim(text);
  if (text.starts_with("aligned(") && text.ends_with(")"))
    return parseAligned(text);
  if (text.starts_with("disjoint(") && text.ends_with(")"))
    return parseDisjoint(text);
  for (const auto &op : operators) {
    size_t at = text.find(op.text);
    if (at == std::string_view::npos)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression lhs,
                                Expression::parse(text.substr(0, at)));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        Expression rhs, Expression::parse(text.substr(at + op.text.size())));
    return Guard{op.kind, 0, 0, std::move(lhs), std::move(rhs)};
  }
  return Status::invalidInput(
      format("guard '{}': expected a comparison, aligned(argN, bytes) or "
             "disjoint(argN, argM)",
             {text}));
}

bool Guard::holds(int64_t a, int64_t b) const {
  switch (kind) {
  case Kind::aligned:
    return b != 0 && a % b == 0;
  case Kind::disjoint:
    return a >= b;
  case Kind::equal:
    return a == b;
  case Kind::notEqual:
    return a != b;
  case Kind::less:
    return a < b;
  case Kind::lessEqual:
    return a <= b;
  case Kind::greater:
    return a > b;
  case Kind::greaterEqual:
    return a >= b;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

bool isPackagePath(std::string_view path) {
  while (true) {
    size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." ||
        part.find('\\') != std::string_view::npos ||
        part.find('\0') != std::string_view::npos)
      return false;
    if (slash == std::string_view::npos)
      return true;
    path.remove_prefix(slash + 1);
  }
}

std::string joinNames(const std::vector<std::string> &names) {
  std::string text = joined(names);
  return text.empty() ? "none" : text;
}

/// The names that a kernel's expressions may use.
static std::set<std::string> kernelNames(const KernelManifest &kernel) {
  std::set<std::string> names;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const KernelArgument &argument = kernel.arguments[i];
    std::string name = format("arg{}", {i});
    if (!argument.isView()) {
      if (!argument.dtype ||
          dtypeInfo(*argument.dtype).kind != DTypeKind::floatingPoint)
        names.insert(name);
      continue;
    }
    for (unsigned dim = 0; dim < argument.rank; ++dim) {
      names.insert(format("{}.dim{}", {name, dim}));
      names.insert(format("{}.stride{}", {name, dim}));
    }
  }
  return names;
}

static Status checkNames(const Expression &expression,
                         const std::set<std::string> &names,
                         const std::string &where) {
  for (const std::string &name : expression.names())
    if (!names.contains(name))
      return Status::invalidInput(
          format("{}: unknown name '{}'; the names are {}",
                 {where, name, joinNames({names.begin(), names.end()})}));
  return {};
}

static Status checkNumbers(const KernelManifest &kernel) {
  struct Number {
    std::string_view where;
    int64_t value, least, most;
  };
  std::vector<Number> numbers = {{"scratch", kernel.scratch, 0, maxScratch},
                                 {"chunk", kernel.chunk, 0, maxChunk},
                                 {"threads", kernel.threads, 0, maxThreads},
                                 {"block", kernel.block, 1, maxBlock},
                                 {"shared", kernel.shared, 0, maxShared}};
  for (int64_t size : kernel.cluster)
    numbers.push_back({"cluster", size, 1, maxBlock});
  for (const KernelArgument &argument : kernel.arguments)
    numbers.push_back({"a view's rank", argument.rank, 0, maxRank});
  for (const Number &number : numbers)
    if (number.value < number.least || number.value > number.most)
      return Status::invalidInput(
          format("{}: expected {} to {}, found {}",
                 {number.where, number.least, number.most, number.value}));
  return {};
}

Status validate(const KernelManifest &kernel) {
  if (kernel.name.empty())
    return Status::invalidInput("name: expected a name, found \"\"");
  if (kernel.target.empty())
    return Status::invalidInput("target: expected a target, found \"\"");
  if (kernel.entry.empty())
    return Status::invalidInput("entry: expected a symbol, found \"\"");
  if (!isPackagePath(kernel.image))
    return Status::invalidInput(
        format("image: expected a path inside the package, found \"{}\"",
               {kernel.image}));
  if (kernel.precision == Precision::fast)
    return Status::invalidInput(
        format("precision: expected one of {}, found \"fast\"",
               {joined(f32PrecisionNames())}));
  if (kernel.grid.empty() || kernel.grid.size() > 3)
    return Status::invalidInput(format(
        "grid: expected 1 to 3 dimensions, found {}", {kernel.grid.size()}));
  TILEWRIGHT_RETURN_IF_ERROR(checkNumbers(kernel));
  std::set<std::string> names = kernelNames(kernel);
  if (kernel.workspace)
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(kernel.workspace->bytes, names, "workspace.bytes"));
  std::set<std::string> gridNames = names;
  gridNames.emplace(multiprocessorsName);
  for (size_t i = 0; i < kernel.grid.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNames(kernel.grid[i], gridNames, format("grid[{}]", {i})));
  for (size_t i = 0; i < kernel.guards.size(); ++i) {
    std::string where = format("guards[{}]", {i});
    StatusOr<Guard> guard = Guard::parse(kernel.guards[i]);
    if (!guard.ok())
      return guard.status().prefixed(where);
    TILEWRIGHT_RETURN_IF_ERROR(checkNames(guard->lhs, names, where));
    TILEWRIGHT_RETURN_IF_ERROR(checkNames(guard->rhs, names, where));
    std::vector<unsigned> views;
    if (guard->kind == Guard::Kind::aligned)
      views = {guard->argument};
    if (guard->kind == Guard::Kind::disjoint)
      views = {guard->argument, guard->other};
    for (unsigned view : views)
      if (view >= kernel.arguments.size() || !kernel.arguments[view].isView())
        return Status::invalidInput(
            format("{}: expected a view, found arg{}", {where, view}));
  }
  return {};
}

} // namespace tilewright::runtime
