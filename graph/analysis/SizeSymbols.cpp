#include "graph/analysis/SizeSymbols.h"

using namespace mlir;

namespace tilewright::graph {

Expr SizeSymbols::dimension(StringRef name) {
  auto [it, inserted] = positions.try_emplace(name, symbols.size());
  if (inserted)
    symbols.push_back({name.str(), Expr()});
  return getAffineSymbolExpr(it->second, context);
}

Expr SizeSymbols::positivePart(Expr d) {
  Expr &part = positiveParts[d];
  if (!part) {
    part = getAffineSymbolExpr(symbols.size(), context);
    symbols.push_back({"", d});
  }
  return part;
}

std::vector<std::string> SizeSymbols::names() const {
  std::vector<std::string> names;
  for (const Symbol &symbol : symbols)
    if (!symbol.positivePartOf)
      names.push_back(symbol.name);
  return names;
}

} // namespace tilewright::graph
