#include "runtime/abi/StepJson.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

size_t readIndex(const JsonCursor &json, size_t count, std::string_view what) {
  int64_t index = json.integer();
  if (!json.failed() && (index < 0 || size_t(index) >= count))
    json.expected(format("an index into the {} {}", {count, what}));
  return size_t(index);
}

CheckManifest readCheck(const JsonCursor &json) {
  json.allowOnly({"that", "equals", "message"});
  return {json.at("that").expression(), json.at("equals").expression(),
          json.at("message").string()};
}

namespace {
/// Reads steps; each kind is one method.
class StepReader {
public:
  explicit StepReader(const StepScope &scope) : scope(scope) {}

  std::vector<StepManifest> list(const JsonCursor &json) {
    std::vector<StepManifest> steps;
    for (const JsonCursor &item : json.elements())
      steps.push_back(step(item));
    return steps;
  }

private:
  size_t buffer(const JsonCursor &json) {
    return readIndex(json, scope.buffers, "buffers");
  }

  StepArgument argument(const JsonCursor &json) {
    if (json.has("scalar")) {
      json.allowOnly({"scalar"});
      return StepArgument::value(json.at("scalar").expression());
    }
    if (json.has("input")) {
      json.allowOnly({"input"});
      return StepArgument::element(
          readIndex(json.at("input"), scope.inputs, "inputs"));
    }
    if (!json.has("buffer")) {
      json.expected("an argument with the key 'buffer', 'scalar' or 'input'");
      return {};
    }
    json.allowOnly({"buffer", "dims", "strides"});
    StepArgument view = StepArgument::view(buffer(json.at("buffer")),
                                           json.at("dims").expressions());
    if (json.has("strides"))
      view.strides = json.at("strides").expressions();
    return view;
  }

  CopyManifest copy(const JsonCursor &json) {
    json.allowOnly({"from", "to"});
    return {buffer(json.at("from")), buffer(json.at("to"))};
  }

  /// `first` and `second` are the keys of the two values; empty: it has none.
  StepSymbol symbol(const JsonCursor &json, const char *name,
                    const char *first = "", const char *second = "") {
    StepSymbol symbol;
    symbol.name = json.at(name).string();
    if (*first) {
      json.allowOnly({name, first, second, "at_least", "at_most"});
      symbol.first = json.at(first).expression();
      symbol.second = json.at(second).expression();
    }
    if (json.has("at_least"))
      symbol.least = json.at("at_least").expression();
    if (json.has("at_most"))
      symbol.greatest = json.at("at_most").expression();
    return symbol;
  }

  std::vector<StepSymbol> symbols(const JsonCursor &json, const char *first,
                                  const char *second) {
    std::vector<StepSymbol> symbols;
    if (json.has("symbols"))
      for (const JsonCursor &item : json.at("symbols").elements())
        symbols.push_back(symbol(item, "name", first, second));
    return symbols;
  }

  ReadManifest read(const JsonCursor &json) {
    json.allowOnly({"buffer", "symbol", "at_least", "at_most"});
    return {buffer(json.at("buffer")), symbol(json, "symbol")};
  }

  BranchManifest branch(const JsonCursor &json) {
    json.allowOnly({"if", "then", "else", "symbols", "results"});
    BranchManifest branch;
    branch.condition = buffer(json.at("if"));
    branch.first = list(json.at("then"));
    branch.second = list(json.at("else"));
    branch.symbols = symbols(json, "then", "else");
    if (json.has("results"))
      for (const JsonCursor &item : json.at("results").elements()) {
        item.allowOnly({"buffer", "then", "else"});
        branch.results.push_back({buffer(item.at("buffer")),
                                  buffer(item.at("then")),
                                  buffer(item.at("else"))});
      }
    return branch;
  }

  LoopManifest loop(const JsonCursor &json) {
    json.allowOnly({"count", "while", "steps", "symbols", "carried"});
    LoopManifest loop;
    if (json.has("count"))
      loop.count = json.at("count").expression();
    if (json.has("while"))
      loop.condition = buffer(json.at("while"));
    loop.steps = list(json.at("steps"));
    loop.symbols = symbols(json, "start", "next");
    if (json.has("carried"))
      for (const JsonCursor &item : json.at("carried").elements()) {
        item.allowOnly({"buffer", "start", "next", "swaps"});
        loop.carried.push_back(
            {buffer(item.at("buffer")), buffer(item.at("start")),
             buffer(item.at("next")),
             item.has("swaps") && item.at("swaps").boolean()});
      }
    return loop;
  }

  StepManifest step(const JsonCursor &json) {
    StepManifest step;
    if (json.has("label"))
      step.label = json.at("label").string();
    auto only = [&](const char *key) {
      json.allowOnly({key, "label"});
      return json.at(key);
    };
    if (json.has("copy")) {
      step.copy = copy(only("copy"));
    } else if (json.has("check")) {
      step.check = readCheck(only("check"));
    } else if (json.has("read")) {
      step.read = read(only("read"));
    } else if (json.has("branch")) {
      step.branch = branch(only("branch"));
    } else if (json.has("loop")) {
      step.loop = loop(only("loop"));
    } else {
      json.allowOnly({"kernel", "arguments", "label"});
      step.kernel = json.at("kernel").string();
      for (const JsonCursor &item : json.at("arguments").elements())
        step.arguments.push_back(argument(item));
    }
    return step;
  }

  const StepScope &scope;
};
} // namespace

std::vector<StepManifest> readSteps(const JsonCursor &json,
                                    const StepScope &scope) {
  return StepReader(scope).list(json);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

Json toJson(const CheckManifest &check) {
  Json json;
  json["that"] = toJson(check.that);
  json["equals"] = toJson(check.equals);
  json["message"] = check.message;
  return json;
}

static Json toJson(const StepArgument &argument) {
  Json json;
  if (argument.buffer) {
    json["buffer"] = *argument.buffer;
    json["dims"] = toJson(argument.dims);
    if (!argument.strides.empty())
      json["strides"] = toJson(argument.strides);
  } else if (argument.input) {
    json["input"] = *argument.input;
  } else {
    json["scalar"] = toJson(argument.scalar);
  }
  return json;
}

static void addLimits(Json &json, const StepSymbol &symbol) {
  if (symbol.least.constant() != 0)
    json["at_least"] = toJson(symbol.least);
  if (symbol.greatest)
    json["at_most"] = toJson(*symbol.greatest);
}

/// Adds the symbols with their values under these keys, if there are any.
static void addSymbols(Json &json, const std::vector<StepSymbol> &symbols,
                       const char *first, const char *second) {
  for (const StepSymbol &symbol : symbols) {
    Json item;
    item["name"] = symbol.name;
    item[first] = toJson(symbol.first);
    item[second] = toJson(symbol.second);
    addLimits(item, symbol);
    json["symbols"].push_back(std::move(item));
  }
}

static Json toJson(const ReadManifest &read) {
  Json json;
  json["buffer"] = read.buffer;
  json["symbol"] = read.symbol.name;
  addLimits(json, read.symbol);
  return json;
}

static Json toJson(const BranchManifest &branch) {
  Json json;
  json["if"] = branch.condition;
  addSymbols(json, branch.symbols, "then", "else");
  for (const BranchManifest::Result &result : branch.results)
    json["results"].push_back({{"buffer", result.buffer},
                               {"then", result.first},
                               {"else", result.second}});
  json["then"] = toJson(branch.first);
  json["else"] = toJson(branch.second);
  return json;
}

static Json toJson(const LoopManifest &loop) {
  Json json;
  if (loop.count)
    json["count"] = toJson(*loop.count);
  if (loop.condition)
    json["while"] = *loop.condition;
  addSymbols(json, loop.symbols, "start", "next");
  for (const LoopManifest::Carried &carried : loop.carried) {
    Json item{{"buffer", carried.buffer},
              {"start", carried.start},
              {"next", carried.next}};
    if (carried.swaps)
      item["swaps"] = true;
    json["carried"].push_back(std::move(item));
  }
  json["steps"] = toJson(loop.steps);
  return json;
}

static Json toJson(const StepManifest &step) {
  Json json;
  if (step.copy) {
    json["copy"] = {{"from", step.copy->from}, {"to", step.copy->to}};
  } else if (step.check) {
    json["check"] = toJson(*step.check);
  } else if (step.read) {
    json["read"] = toJson(*step.read);
  } else if (step.branch) {
    json["branch"] = toJson(*step.branch);
  } else if (step.loop) {
    json["loop"] = toJson(*step.loop);
  } else {
    json["kernel"] = step.kernel;
    json["arguments"] = Json::array();
    for (const StepArgument &argument : step.arguments)
      json["arguments"].push_back(toJson(argument));
  }
  json["label"] = step.label;
  return json;
}

Json toJson(const std::vector<StepManifest> &steps) {
  Json list = Json::array();
  for (const StepManifest &step : steps)
    list.push_back(toJson(step));
  return list;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool operator==(const BranchManifest &a, const BranchManifest &b) {
  return a.condition == b.condition && a.first == b.first &&
         a.second == b.second && a.symbols == b.symbols &&
         a.results == b.results;
}

bool operator==(const LoopManifest &a, const LoopManifest &b) {
  return a.count == b.count && a.condition == b.condition &&
         a.steps == b.steps && a.symbols == b.symbols && a.carried == b.carried;
}

size_t stepCount(const std::vector<StepManifest> &steps) {
  size_t count = 0;
  for (const StepManifest &step : steps) {
    count += step.copy || step.isLaunch();
    if (step.branch)
      count += stepCount(step.branch->first) + stepCount(step.branch->second);
    if (step.loop)
      count += stepCount(step.loop->steps);
  }
  return count;
}

bool hasDecisions(const std::vector<StepManifest> &steps) {
  return std::ranges::any_of(steps, [](const StepManifest &step) {
    return step.read || step.branch || step.loop;
  });
}

} // namespace tilewright::runtime
