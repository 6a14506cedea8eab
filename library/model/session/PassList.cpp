//===- PassList.cpp - The passes of a pipeline, one by one ----------------===//
#include "library/model/session/PassList.h"

#include "graph/ir/Graph.h"
#include "library/compiler/PluginPasses.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright {

PassList::PassList(StringRef pipeline) {
  std::vector<Nest> nests;
  llvm::StringMap<unsigned> counts;
  parse(pipeline, nests, counts);
}

PassList PassList::of(OpPassManager &passes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      passes, stream, [&](Pass &pass) { pass.printAsTextualPipeline(stream); },
      ",");
  return PassList(text);
}

void PassList::parse(StringRef &text, std::vector<Nest> &nests,
                     llvm::StringMap<unsigned> &counts) {
  for (unsigned number = 0; !text.empty() && !text.starts_with(")"); ++number) {
    StringRef element = takePass(text);
    if (text.consume_front("(")) {
      nests.push_back({element.str(), number});
      parse(text, nests, counts);
      nests.pop_back();
      text.consume_front(")");
    } else {
      std::string name = element.split('{').first.str();
      if (const unsigned count = ++counts[name]; count > 1)
        name += ":" + std::to_string(count);
      passes.push_back({std::move(name), element.str(), nests});
    }
    text.consume_front(",");
  }
}

StatusOr<size_t> PassList::upTo(StringRef name) const {
  for (size_t i = 0; i < passes.size(); ++i)
    if (passes[i].name == name)
      return i + 1;
  return Status::invalidInput(
      "there is no pass '" + name.str() +
      "' on the way of a model to code\n"
      "  these run: " +
      llvm::join(llvm::map_range(passes, [](const Entry &e) { return e.name; }),
                 ", "));
}

/// The passes of each module in an op of code; add-variants runs on the op.
bool PassList::Entry::isOnCode() const {
  return nests.size() > 1 &&
         (nests[0].op == graph::CpuCodeOp::getOperationName() ||
          nests[0].op == graph::GpuCodeOp::getOperationName() ||
          nests[0].op == graph::InterpreterCodeOp::getOperationName());
}

size_t PassList::beforeCode() const {
  return size_t(llvm::find_if(passes, std::mem_fn(&Entry::isOnCode)) -
                passes.begin());
}

std::string PassList::print(ArrayRef<Entry> entries, size_t depth) {
  std::string text;
  while (!entries.empty()) {
    const Entry &first = entries.front();
    text += text.empty() ? "" : ",";
    size_t count = 1;
    if (first.nests.size() == depth) {
      text += first.text;
    } else {
      const Nest &nest = first.nests[depth];
      while (count < entries.size() && entries[count].nests.size() > depth &&
             entries[count].nests[depth] == nest)
        ++count;
      text += nest.op + "(" + print(entries.take_front(count), depth + 1) + ")";
    }
    entries = entries.drop_front(count);
  }
  return text;
}

std::string PassList::text(size_t first, size_t last) const {
  return print(ArrayRef(passes).take_front(last).drop_front(first), 0);
}

std::string PassList::codeText(StringRef op) const {
  auto found = llvm::make_filter_range(passes, [&](const Entry &entry) {
    return entry.isOnCode() && entry.nests[0].op == op;
  });
  return print(llvm::to_vector(found), 2);
}

} // namespace tilewright
