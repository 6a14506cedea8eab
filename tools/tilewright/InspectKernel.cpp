//===- InspectKernel.cpp - A kernel's levels side by side -----------------===//
//
// Under each line of the source: its ops of the scheduled level, and next to
// them the counts of its PTX instructions.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Text.h"
#include "codegen/tilegpu/TileGpu.h"
#include "support/Format.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Usage.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <fstream>
#include <sstream>

namespace tilewright::tool {

namespace {
/// The lowering of one line of the source, in order of appearance.
struct LineLevels {
  std::vector<std::string> scheduled;
  llvm::MapVector<llvm::StringRef, unsigned> instructions;
};

/// The lowering of one kernel. Line 0: of no line.
struct KernelLevels {
  std::map<unsigned, LineLevels> lines;
  /// #0, #1, ..
  std::vector<layout::Layout> layouts;
};
} // namespace

static unsigned lineOf(mlir::Operation *op) {
  auto location = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  return location ? location.getLine() : 0;
}

/// "8x32 f32 #0", with the number of the layout.
static std::string tileText(mlir::Type type, KernelLevels &levels) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto tile = llvm::cast<mlir::RankedTensorType>(type);
  const layout::Layout &layout = tilegpu::layoutOf(type);
  auto at = llvm::find(levels.layouts, layout) - levels.layouts.begin();
  if (size_t(at) == levels.layouts.size())
    levels.layouts.push_back(layout);
  stream << tilegpu::toDims(tile.getShape()).text() << " "
         << tile.getElementType() << " #" << at;
  return text;
}

static void addScheduled(tile::KernelOp kernel, KernelLevels &levels) {
  kernel.getBody()->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (op->hasTrait<mlir::OpTrait::IsTerminator>())
      return;
    std::string text = op->getName().getStringRef().str();
    mlir::TypeRange types = op->getResultTypes();
    if (types.empty())
      types = op->getOperandTypes();
    if (!types.empty() && tilegpu::hasLayout(types.front()))
      text += "  " + tileText(types.front(), levels);
    levels.lines[lineOf(op)].scheduled.push_back(text);
  });
}

/// The instruction in a line of PTX, without its predicate; empty if there is
/// none.
static llvm::StringRef instructionOf(llvm::StringRef line) {
  line = line.trim();
  if (line.starts_with("@"))
    line =
        line.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
  if (!line.ends_with(";") || line.starts_with(".") || line.starts_with("//"))
    return {};
  return line.take_until(
      [](char c) { return c == ' ' || c == '\t' || c == ';'; });
}

static void addPtx(llvm::StringRef ptx, KernelLevels &levels) {
  unsigned line = 0;
  for (llvm::StringRef text : llvm::split(ptx, '\n')) {
    llvm::StringRef rest = text.trim();
    if (rest.consume_front(".loc")) {
      // File, line, column.
      rest.ltrim().split(' ').second.split(' ').first.getAsInteger(10, line);
      continue;
    }
    llvm::StringRef instruction = instructionOf(text);
    if (!instruction.empty())
      ++levels.lines[line].instructions[instruction];
  }
}

static std::vector<std::string> linesOf(const std::filesystem::path &path) {
  std::vector<std::string> lines = {""};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

static void print(const KernelLevels &levels,
                  const std::vector<std::string> &source,
                  std::ostream &stream) {
  constexpr size_t left = 44;
  for (const auto &[number, level] : levels.lines) {
    std::string text = number && number < source.size()
                           ? llvm::StringRef(source[number]).trim().str()
                           : "(of no line)";
    if (text.size() > 72)
      text = text.substr(0, 69) + "...";
    stream << "\n"
           << (number ? std::to_string(number) : "-") << "  " << text << "\n";
    auto instruction = level.instructions.begin();
    for (size_t i = 0;
         i < level.scheduled.size() || instruction != level.instructions.end();
         ++i) {
      std::string row = i < level.scheduled.size() ? level.scheduled[i] : "";
      if (instruction != level.instructions.end()) {
        row.resize(std::max(row.size() + 2, left), ' ');
        row +=
            format("{:>4} {}", {instruction->second, instruction->first.str()});
        ++instruction;
      }
      stream << "    " << row << "\n";
    }
  }
  stream << "\n";
  for (auto [i, layout] : llvm::enumerate(levels.layouts))
    stream << "#" << i << " = " << layout::print(layout) << "\n";
}

StatusOr<std::string> describeKernels(const std::string &model,
                                      const std::string &target,
                                      const std::string &kernel) {
  std::map<std::string, KernelLevels> kernels;
  CompileModelOptions options;
  readTargets({target}, options);
  if (options.gpus.empty())
    throw UsageError(
        format("--target: lines are shown for a GPU, {}; found '{}'",
               {target::gpuTargetNames(), target}));
  options.onlyKernel = kernel;
  options.lineInfo = options.wantPtx = options.wantBytecode = true;
  TILEWRIGHT_ASSIGN_OR_RETURN(CompileModelReport report,
                              compileModel(model, "", options));
  TILEWRIGHT_RETURN_IF_ERROR(visitScheduled(report, [&](tile::KernelOp kernel) {
    addScheduled(kernel, kernels[kernel.getSymName().str()]);
  }));
  std::vector<std::string> source = linesOf(model);
  std::ostringstream stream;
  for (const KernelPtx &ptx : report.ptx) {
    KernelLevels &levels = kernels[ptx.kernel];
    addPtx(ptx.text, levels);
    stream << "kernel " << ptx.kernel << " for " << target
           << ": the source's lines; below, the scheduled level and PTX\n";
    print(levels, source, stream);
  }
  return stream.str();
}

} // namespace tilewright::tool
