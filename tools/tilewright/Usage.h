//===- Usage.h - Mistakes on the command line -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_USAGE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_USAGE_H

#include "support/Format.h"
#include "tilewright/manifest/Precision.h"
#include "tilewright/support/Status.h"
#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tool {

/// The command line itself is wrong: a command, an option, its value, or an
/// invalid combination of options. Ends the program with exitUsage and one
/// message.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "; did you mean 'compile'?" for 'comple'; empty if nothing known is near.
std::string didYouMean(std::string_view found,
                       const std::vector<std::string> &known);

/// Throws where `option` is set but has no effect: `why` says when it has one.
void requireEffect(const CLI::App &command, const std::string &option,
                   bool hasEffect, const std::string &why);

/// A whole number that is at least `least`.
CLI::Validator wholeNumber(unsigned least);

/// One of `known`; a near one is suggested.
CLI::Validator oneOf(std::vector<std::string> known);

/// Adds --fast-math, with or without flags.
CLI::Option *addFastMath(CLI::App &command, std::string &flags);

/// Adds --precision.
CLI::Option *addPrecision(CLI::App &command, runtime::Precision &precision);

/// Adds --plugin, which may be repeated.
void addPlugins(CLI::App &command, std::vector<std::string> &files);

/// An error for a file that is not there, with a near one of its folder.
Status requireFile(const std::filesystem::path &path);

/// The message for a command line that CLI11 rejects: the error, and a similar
/// valid name.
std::string explain(const CLI::App &app, const CLI::ParseError &error,
                    const std::vector<std::string> &words);

/// The help of each command ends with its examples (Examples.inc).
void addExamples(CLI::App &app);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_USAGE_H
