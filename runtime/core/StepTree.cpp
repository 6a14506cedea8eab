#include "runtime/core/StepTree.h"
#include "support/Format.h"
#include <algorithm>
#include <set>

namespace tilewright::runtime {

namespace {
/// Numbers steps, each before those of its lists.
class TreeBuilder {
public:
  TreeBuilder(const PackageManifest &manifest, StepTree &tree)
      : manifest(manifest), tree(tree),
        ofInputs(manifest.symbols.begin(), manifest.symbols.end()) {}

  std::vector<size_t> list(const std::vector<StepManifest> &steps,
                           const std::string &where) {
    std::vector<size_t> numbers;
    for (size_t i = 0; i < steps.size(); ++i)
      numbers.push_back(add(steps[i], format("{}{}", {where, i})));
    // Steps that are no decision have no lists: their numbers have no gaps.
    for (auto first = numbers.begin(); first != numbers.end();) {
      auto last = std::find_if(first, numbers.end(), [&](size_t number) {
        return isDecision(*tree.nodes[number].step);
      });
      if (first != last)
        addSegment(*first, *first + size_t(last - first));
      first = last == numbers.end() ? last : last + 1;
    }
    return numbers;
  }

private:
  static bool isDecision(const StepManifest &step) {
    return step.read || step.branch || step.loop;
  }

  void addSegment(size_t begin, size_t end) {
    std::set<size_t> buffers, inputs;
    std::set<std::string> symbols;
    size_t enqueued = 0;
    for (size_t number = begin; number < end; ++number) {
      const StepNode &node = tree.nodes[number];
      enqueued += node.step->isLaunch() || node.step->copy;
      symbols.insert(node.symbols.begin(), node.symbols.end());
      for (const StepArgument &argument : node.step->arguments) {
        if (argument.buffer)
          buffers.insert(*argument.buffer);
        if (argument.input)
          inputs.insert(*argument.input);
      }
      if (node.step->copy)
        buffers.insert({node.step->copy->from, node.step->copy->to});
    }
    if (enqueued < 2)
      return;
    tree.nodes[begin].segment = tree.segments.size();
    tree.segments.push_back({begin,
                             end,
                             {buffers.begin(), buffers.end()},
                             {inputs.begin(), inputs.end()},
                             {symbols.begin(), symbols.end()}});
  }

  size_t add(const StepManifest &step, const std::string &where) {
    const size_t number = tree.nodes.size();
    tree.nodes.emplace_back();
    StepNode node;
    node.step = &step;
    node.name = format("step {} ({})", {where, step.label});
    setSymbols(step, node);
    if (step.branch) {
      node.first = list(step.branch->first, where + ".then.");
      node.second = list(step.branch->second, where + ".else.");
    } else if (step.loop) {
      node.first = list(step.loop->steps, where + ".");
    }
    tree.nodes[number] = std::move(node);
    return number;
  }

  /// Adds the names of an expression that no input binds.
  void take(const Expression &expression, std::set<std::string> &names) const {
    for (std::string &name : expression.names())
      if (!ofInputs.contains(name))
        names.insert(std::move(name));
  }
  void takeSizeOf(size_t buffer, std::set<std::string> &names) const {
    for (std::optional<size_t> at = buffer; at;
         at = manifest.buffers[*at].alias)
      take(manifest.buffers[*at].bytes, names);
  }

  void setSymbols(const StepManifest &step, StepNode &node) const {
    std::set<std::string> sizes, scalars;
    for (const StepArgument &argument : step.arguments) {
      for (const auto *list : {&argument.dims, &argument.strides})
        for (const Expression &size : *list)
          take(size, sizes);
      take(argument.scalar, scalars);
      if (argument.buffer)
        takeSizeOf(*argument.buffer, sizes);
    }
    if (step.copy) {
      takeSizeOf(step.copy->from, sizes);
      takeSizeOf(step.copy->to, sizes);
    }
    node.symbols.assign(sizes.begin(), sizes.end());
    node.sizeSymbols = node.symbols.size();
    std::ranges::set_difference(scalars, sizes,
                                std::back_inserter(node.symbols));
  }

  const PackageManifest &manifest;
  StepTree &tree;
  std::set<std::string, std::less<>> ofInputs;
};

/// Finds when buffers are used.
class LifetimeWalk {
public:
  LifetimeWalk(const StepTree &tree, const std::vector<size_t> &roots)
      : tree(tree), roots(roots) {}

  std::map<size_t, ArenaRequest> run() {
    list(tree.list);
    std::map<size_t, ArenaRequest> lifetimes;
    for (const auto &[root, all] : uses)
      lifetimes.emplace(root, lifetimeOf(all));
    return lifetimes;
  }

private:
  struct Use {
    size_t position;
    /// The loops around it, as indices into `spans`.
    std::vector<size_t> loops;
  };
  struct Span {
    size_t first, last;
  };

  void use(size_t buffer) { uses[roots[buffer]].push_back({position, loops}); }

  void list(const std::vector<size_t> &numbers) {
    for (size_t number : numbers)
      step(tree.nodes[number]);
  }

  void step(const StepNode &node) {
    const StepManifest &step = *node.step;
    ++position;
    for (const StepArgument &argument : step.arguments)
      if (argument.buffer)
        use(*argument.buffer);
    if (step.copy) {
      use(step.copy->from);
      use(step.copy->to);
    }
    if (step.read)
      use(step.read->buffer);
    if (step.branch)
      branch(*step.branch, node);
    if (step.loop)
      loop(*step.loop, node);
  }

  void branch(const BranchManifest &branch, const StepNode &node) {
    use(branch.condition);
    for (bool isFirst : {true, false}) {
      list(isFirst ? node.first : node.second);
      ++position;
      for (const BranchManifest::Result &result : branch.results) {
        use(isFirst ? result.first : result.second);
        use(result.buffer);
      }
    }
  }

  void loop(const LoopManifest &loop, const StepNode &node) {
    auto useAround = [&] {
      if (loop.condition)
        use(*loop.condition);
      for (const LoopManifest::Carried &carried : loop.carried)
        use(carried.buffer);
    };
    auto usePartners = [&] {
      for (const LoopManifest::Carried &carried : loop.carried)
        if (carried.swaps)
          use(carried.next);
    };
    const size_t begin = position;
    useAround();
    for (const LoopManifest::Carried &carried : loop.carried)
      use(carried.start);
    const size_t number = spans.size();
    spans.push_back({begin, begin});
    loops.push_back(number);
    usePartners();
    list(node.first);
    ++position;
    usePartners();
    for (const LoopManifest::Carried &carried : loop.carried)
      use(carried.next);
    loops.pop_back();
    useAround();
    spans[number].last = position;
  }

  /// The positions of all uses; of those in a loop that not all are in, the
  /// whole loop.
  ArenaRequest lifetimeOf(const std::vector<Use> &all) const {
    size_t common = all.front().loops.size();
    for (const Use &use : all) {
      const auto ends = std::ranges::mismatch(use.loops, all.front().loops).in1;
      common = std::min(common, size_t(ends - use.loops.begin()));
    }
    ArenaRequest lifetime{0, SIZE_MAX, 0};
    for (const Use &use : all) {
      Span span{use.position, use.position};
      if (use.loops.size() > common)
        span = spans[use.loops[common]];
      lifetime.first = std::min(lifetime.first, span.first);
      lifetime.last = std::max(lifetime.last, span.last);
    }
    return lifetime;
  }

  const StepTree &tree;
  const std::vector<size_t> &roots;
  size_t position = 0;
  std::vector<size_t> loops;
  std::vector<Span> spans;
  std::map<size_t, std::vector<Use>> uses;
};
} // namespace

StepTree::StepTree(const PackageManifest &manifest)
    : hasDecisions(runtime::hasDecisions(manifest.steps)) {
  list = TreeBuilder(manifest, *this).list(manifest.steps, "");
}

std::map<size_t, ArenaRequest> lifetimesOf(const StepTree &tree,
                                           const std::vector<size_t> &roots) {
  return LifetimeWalk(tree, roots).run();
}

} // namespace tilewright::runtime
