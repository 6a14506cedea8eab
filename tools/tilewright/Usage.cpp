//===- Usage.cpp - Mistakes on the command line ---------------------------===//
#include "tools/tilewright/Usage.h"
#include "support/Format.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <utility>

namespace tilewright::tool {

//===--- Names that are nearly right --------------------------------------===//

/// How many characters must be put in, left out, changed or swapped with their
/// neighbour.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

/// The name that is meant, or null.
static const std::string *nearest(std::string_view found,
                                  const std::vector<std::string> &known) {
  const std::string *best = nullptr;
  const size_t most = std::max<size_t>(1, found.size() / 3);
  // Of two at equal distance, the one that begins with `found`; such a one may
  // be far: "--expl" for "--explain-fusion".
  size_t least = SIZE_MAX;
  for (const std::string &name : known) {
    const bool goesOn = found.size() > 2 && name.starts_with(found);
    const size_t now = distance(found, name);
    if (now > most && !goesOn)
      continue;
    if (size_t cost = 2 * std::min(now, most) + !goesOn; cost < least) {
      least = cost;
      best = &name;
    }
  }
  return best;
}

std::string didYouMean(std::string_view found,
                       const std::vector<std::string> &known) {
  const std::string *best = nearest(found, known);
  return best ? format("; did you mean '{}'?", {*best}) : "";
}

//===--- Options ----------------------------------------------------------===//

void requireEffect(const CLI::App &command, const std::string &option,
                   bool hasEffect, const std::string &why) {
  if (!hasEffect && command.count(option))
    throw UsageError(format("{} has no effect here: {}", {option, why}));
}

CLI::Validator wholeNumber(unsigned least) {
  return {[least](std::string &text) -> std::string {
            uint64_t number = 0;
            const char *end = text.data() + text.size();
            auto [stop, error] = std::from_chars(text.data(), end, number);
            if (error == std::errc() && stop == end && number >= least)
              return "";
            return format("expected a whole number of at least {}, found '{}'",
                          {least, text});
          },
          ""};
}

CLI::Validator oneOf(std::vector<std::string> known) {
  return {[known](std::string &text) -> std::string {
            if (std::find(known.begin(), known.end(), text) != known.end())
              return "";
            return format("expected one of {}, found '{}'{}",
                          {joined(known), text, didYouMean(text, known)});
          },
          ""};
}

/// Names of MLIR's fast-math flags, with commas; "default" are those that it
/// stands for.
static std::string readFastMath(std::string &flags) {
  static const std::vector<std::string> known = {
      "contract", "arcp", "afn", "reassoc", "nsz", "nnan", "ninf"};
  if (flags == "default")
    flags = "contract,arcp,afn";
  std::istringstream names(flags);
  for (std::string name; std::getline(names, name, ',');)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return format("expected some of {}, with commas, found '{}'{}",
                    {joined(known), name, didYouMean(name, known)});
  return "";
}

CLI::Option *addFastMath(CLI::App &command, std::string &flags) {
  return command
      .add_flag("--fast-math{default}", flags,
                "Let ops of floats be fused, inverted and approximated; "
                "=FLAGS: only these of MLIR's, such as afn,nnan")
      ->transform(CLI::Validator(readFastMath, ""));
}

CLI::Option *addPrecision(CLI::App &command, runtime::Precision &precision) {
  return command
      .add_option_function<std::string>(
          "--precision",
          [&precision](const std::string &name) {
            if (auto read = runtime::parseF32Precision(name); read.ok())
              precision = *read;
          },
          "How exact products of f32 must be, but where a kernel says so "
          "itself: ieee (default), tf32, tf32x3, bf16x3, bf16x6 "
          "(docs/onnx.md)")
      ->check(oneOf(runtime::f32PrecisionNames()));
}

void addPlugins(CLI::App &command, std::vector<std::string> &files) {
  command
      .add_option("--plugin", files,
                  "A shared library with frontends, passes over kernels, or "
                  "targets (docs/library.md)")
      ->allow_extra_args(false);
}

Status requireFile(const std::filesystem::path &path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    return {};
  std::filesystem::path folder = path.parent_path();
  std::vector<std::string> near;
  std::filesystem::directory_iterator entry(folder.empty() ? "." : folder,
                                            ignored);
  for (; !ignored && entry != std::filesystem::directory_iterator();
       entry.increment(ignored))
    if (entry->path().extension() == path.extension())
      near.push_back(entry->path().stem().string());
  std::sort(near.begin(), near.end());
  const std::string *best = nearest(path.stem().string(), near);
  return Status::notFound(format(
      "{}: no such file{}",
      {path.string(),
       best ? format(
                  "; did you mean '{}'?",
                  {(folder / *best).concat(path.extension().string()).string()})
            : ""}));
}

//===--- What CLI11 does not accept ---------------------------------------===//

/// The command found: `tune list` of `tilewright tune list --x`.
static const CLI::App *reached(const CLI::App &app) {
  const CLI::App *command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().back();
  return command;
}

static std::string pathOf(const CLI::App *command) {
  std::string parent =
      command->get_parent() ? pathOf(command->get_parent()) + " " : "";
  return parent + command->get_name();
}

static std::vector<std::string> commandsOf(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands(nullptr))
    if (!command->get_group().empty())
      names.push_back(command->get_name());
  return names;
}

static std::vector<std::string> optionsOf(const CLI::App &command) {
  std::vector<std::string> names;
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

/// The first of `words` that looks like an option and is none of the command;
/// else the first one that the command has no use for.
static std::string explainExtras(const CLI::App &app, const CLI::App &command,
                                 const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    if (!word.starts_with("-") || word == "-")
      continue;
    std::string name = word.substr(0, word.find('='));
    if (command.get_option_no_throw(name))
      continue;
    std::string text = format("there is no option '{}'{}",
                              {name, didYouMean(name, optionsOf(command))});
    std::vector<std::string> others;
    for (const CLI::App *other : app.get_subcommands(nullptr))
      if (other != &command && !other->get_group().empty() &&
          other->get_option_no_throw(name))
        others.push_back(format("'{}'", {other->get_name()}));
    return text + (others.empty() ? "" : "; it is one of " + joined(others));
  }
  std::vector<std::string> extras = command.remaining(true);
  return extras.empty() ? "there is an argument too many"
                        : format("unexpected argument '{}'", {extras.front()});
}

std::string explain(const CLI::App &app, const CLI::ParseError &error,
                    const std::vector<std::string> &words) {
  const CLI::App *command = reached(app);
  if (command == &app) {
    const std::vector<std::string> known = commandsOf(app);
    const bool isOption = !words.empty() && words.front().starts_with("-");
    if (isOption)
      return explainExtras(app, app, words);
    return format("{}\n  the commands are {}",
                  {words.empty() ? "expected a command"
                                 : format("there is no command '{}'{}",
                                          {words.front(),
                                           didYouMean(words.front(), known)}),
                   joined(known)});
  }
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError *>(&error))
    text = explainExtras(app, *command, words);
  constexpr std::string_view unread = "Could not convert: ";
  if (size_t equals = text.find(" = ");
      text.starts_with(unread) && equals != std::string::npos)
    text = format("{}: cannot read '{}'",
                  {text.substr(unread.size(), equals - unread.size()),
                   text.substr(equals + 3)});
  return format("{}\n  see {} --help", {text, pathOf(command)});
}

//===--- Examples ---------------------------------------------------------===//

static constexpr struct {
  /// "tune list"; empty for the tool.
  std::string_view command;
  std::string_view text;
} examples[] = {
#define EXAMPLE(COMMAND, TEXT) {COMMAND, TEXT},
#include "tools/tilewright/Examples.inc"
#undef EXAMPLE
};

static void addExamples(CLI::App &command, const std::string &path) {
  std::string text;
  const std::string own = command.get_footer();
  for (const auto &example : examples)
    if (example.command == path)
      text += "\n  " + std::string(example.text);
  for (CLI::App *inner : command.get_subcommands(nullptr))
    addExamples(*inner, path.empty()
                            ? inner->get_name()
                            : format("{} {}", {path, inner->get_name()}));
  if (!text.empty())
    command.footer(
        format("Examples:{}{}", {text, own.empty() ? "" : "\n\n" + own}));
}

void addExamples(CLI::App &app) { addExamples(app, ""); }

} // namespace tilewright::tool
