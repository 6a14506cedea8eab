#include "frontends/torch/program/ReadProgram.h"

#include "frontends/torch/program/Expressions.h"
#include "frontends/torch/program/ReadGraph.h"
#include "runtime/abi/Json.h"
#include "support/Format.h"

namespace tilewright::torch {

using runtime::Json;
using runtime::JsonCursor;

namespace {

/// The version of the archive's schema that is read.
constexpr int64_t schemaMajor = 8;

/// What the archive is, if it is not a program of that schema.
Status expectProgram(const Archive &archive) {
  for (const auto &[name, bytes] : archive.entries())
    if (name.starts_with("data/aotinductor/"))
      return Status::unsupported(
          "the archive holds code of AOTInductor; expected a program of "
          "torch.export.save");
  if (!archive.find("archive_format"))
    return Status::invalidInput(
        "the archive has no entry 'archive_format'; expected a program of "
        "torch.export.save of PyTorch 2.8 or later");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string_view format,
                              archive.text("archive_format"));
  if (format != "pt2")
    return Status::invalidInput("the archive's format is '" +
                                std::string(format.substr(0, 20)) +
                                "', expected 'pt2'");
  if (!archive.find("byteorder"))
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string_view order,
                              archive.text("byteorder"));
  if (order != "little")
    return Status::unsupported("the archive's byte order is '" +
                               std::string(order.substr(0, 20)) +
                               "', expected 'little'");
  return {};
}

/// The name of the archive's one model.
StatusOr<std::string> modelName(const Archive &archive) {
  std::vector<std::string> names;
  for (const auto &[name, bytes] : archive.entries())
    if (name.starts_with("models/") && name.ends_with(".json"))
      names.push_back(name.substr(7, name.size() - 12));
  if (names.size() == 1)
    return names[0];
  return Status::unsupported(
      format("the archive has {} models, expected one in the folder 'models'",
             {names.size()}));
}

StatusOr<Json> parseEntry(const Archive &archive, const std::string &name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string_view text, archive.text(name));
  auto parsed = runtime::parseJson(text);
  if (!parsed.ok())
    return parsed.status().prefixed(name);
  return parsed;
}

/// Reads parameters, buffers and constants.
class StorageReader {
public:
  StorageReader(const Archive &archive, std::shared_ptr<const void> owner,
                Program &program)
      : archive(archive), owner(std::move(owner)), program(program) {}

  /// The elements that an entry lists, which lie in `folder`.
  Status read(const std::string &config, const std::string &folder) {
    if (!archive.find(config))
      return {};
    TILEWRIGHT_ASSIGN_OR_RETURN(Json json, parseEntry(archive, config));
    Status error;
    JsonCursor root(json, "", error);
    root.allowValuesOnly({"config"});
    for (const auto &[name, each] : root.at("config").members())
      readOne(name, each, folder);
    return error.prefixed(config);
  }

private:
  void readOne(const std::string &name, const JsonCursor &json,
               const std::string &folder) {
    json.allowValuesOnly(
        {"path_name", "is_param", "use_pickle", "tensor_meta"});
    std::string path = folder + json.at("path_name").string();
    bool isObject = json.at("tensor_meta").isNull();
    if (json.failed())
      return;
    if (isObject || json.at("use_pickle").boolean())
      return json.fail("'" + name +
                       "' is stored as a pickle, which is never opened; "
                       "expected a plain tensor");
    Storage storage{readMeta(json.at("tensor_meta")), {}, owner};
    const std::string_view *bytes = archive.find(path);
    if (!bytes)
      return json.fail("the archive has no entry '" + path + "'");
    storage.bytes = *bytes;
    program.storages[name] = std::move(storage);
  }

  const Archive &archive;
  std::shared_ptr<const void> owner;
  Program &program;
};

/// The name of a tensor.
std::string nameOf(const JsonCursor &json) { return json.at("name").string(); }

struct InputRow {
  std::string_view key, target;
  InputSpec::Kind kind;
};
constexpr InputRow inputKinds[] = {
    {"parameter", "parameter_name", InputSpec::Kind::Parameter},
    {"buffer", "buffer_name", InputSpec::Kind::Buffer},
    {"tensor_constant", "tensor_constant_name", InputSpec::Kind::Constant},
};

InputSpec readInput(const JsonCursor &json) {
  InputSpec spec;
  for (const InputRow &row : inputKinds)
    if (json.has(row.key)) {
      JsonCursor inner = json.at(row.key);
      inner.allowValuesOnly({"arg", row.target, "persistent"});
      spec.kind = row.kind;
      spec.name = nameOf(inner.at("arg"));
      spec.target = inner.at(row.target).string();
      return spec;
    }
  if (json.has("constant_input")) {
    spec.kind = InputSpec::Kind::Fixed;
    spec.name = json.at("constant_input").at("name").string();
    return spec;
  }
  if (!json.has("user_input")) {
    json.expected("an input that is a tensor, a parameter, a buffer or a "
                  "constant");
    return spec;
  }
  Argument argument = readArgument(json.at("user_input").at("arg"));
  if (auto *tensor = std::get_if<TensorName>(&argument.value))
    spec.name = tensor->name;
  else if (auto *number = std::get_if<NumberName>(&argument.value))
    json.fail("input '" + number->name +
              "' is a number that may change; give it as a tensor, or export "
              "with a fixed one");
  else
    spec.kind = InputSpec::Kind::Fixed;
  return spec;
}

OutputSpec readOutput(const JsonCursor &json) {
  OutputSpec spec;
  auto mutation = [&](std::string_view key, std::string_view target,
                      OutputSpec::Kind kind) {
    if (!json.has(key))
      return false;
    spec.kind = kind;
    spec.value.value = TensorName{nameOf(json.at(key).at("arg"))};
    spec.target = json.at(key).at(target).string();
    return true;
  };
  if (json.has("user_output")) {
    spec.value = readArgument(json.at("user_output").at("arg"));
    return spec;
  }
  if (mutation("buffer_mutation", "buffer_name",
               OutputSpec::Kind::BufferMutation) ||
      mutation("parameter_mutation", "parameter_name",
               OutputSpec::Kind::BufferMutation) ||
      mutation("user_input_mutation", "user_input_name",
               OutputSpec::Kind::InputMutation))
    return spec;
  json.expected("an output that is a result, or a write to a buffer or an "
                "input: the program is exported for inference");
  return spec;
}

void readRange(const std::string &symbol, const JsonCursor &json,
               Program &program) {
  json.allowValuesOnly({"min_val", "max_val"});
  Range &range = program.ranges[symbol];
  if (!json.at("min_val").isNull())
    range.least = json.at("min_val").integer();
  if (!json.at("max_val").isNull())
    range.most = json.at("max_val").integer();
}

void readGuards(const JsonCursor &json, Program &program) {
  for (const JsonCursor &each : json.elements()) {
    std::string text = each.string();
    if (each.failed())
      return;
    auto condition = parseGuard(text);
    if (!condition.ok())
      return each.fail(condition.status().message());
    program.guards.push_back({*std::move(condition), std::move(text)});
  }
}

void readRoot(const JsonCursor &root, Program &program) {
  root.allowValuesOnly({"graph_module", "opset_version", "range_constraints",
                        "schema_version", "verifiers", "torch_version",
                        "guards_code"});
  JsonCursor version = root.at("schema_version").at("major");
  if (int64_t major = version.integer(); major != schemaMajor)
    return version.fail(
        format("the archive has version {} of the schema of exported programs, "
               "expected {}, that of PyTorch 2.8 to 2.15",
               {major, schemaMajor}));
  JsonCursor module = root.at("graph_module");
  module.allowValuesOnly({"graph", "signature", "module_call_graph", "metadata",
                          "treespec_namedtuple_fields"});
  JsonCursor signature = module.at("signature");
  signature.allowValuesOnly({"input_specs", "output_specs"});
  for (const JsonCursor &each : signature.at("input_specs").elements())
    program.inputs.push_back(readInput(each));
  for (const JsonCursor &each : signature.at("output_specs").elements())
    program.outputs.push_back(readOutput(each));
  for (const auto &[symbol, each] : root.at("range_constraints").members())
    readRange(symbol, each, program);
  if (root.has("guards_code"))
    readGuards(root.at("guards_code"), program);
  if (root.has("torch_version"))
    program.torchVersion = root.at("torch_version").string();
  if (!root.failed())
    program.graph = readGraph(module.at("graph"));
}

} // namespace

StatusOr<Program> readProgram(const Archive &archive,
                              std::shared_ptr<const void> owner) {
  TILEWRIGHT_RETURN_IF_ERROR(expectProgram(archive));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string name, modelName(archive));
  const std::string entry = "models/" + name + ".json";
  TILEWRIGHT_ASSIGN_OR_RETURN(Json json, parseEntry(archive, entry));
  Program program;
  Status error;
  readRoot(JsonCursor(json, "", error), program);
  if (!error.ok())
    return error.prefixed(entry);
  StorageReader storages(archive, std::move(owner), program);
  TILEWRIGHT_RETURN_IF_ERROR(storages.read(
      "data/weights/" + name + "_weights_config.json", "data/weights/"));
  TILEWRIGHT_RETURN_IF_ERROR(storages.read(
      "data/constants/" + name + "_constants_config.json", "data/constants/"));
  return program;
}

} // namespace tilewright::torch
