#include "graph/analysis/SizeSymbols.h"

using namespace mlir;

namespace tilewright::graph {

Expr SizeSymbols::dimension(StringRef name) {
  auto [it, inserted] = positions.try_emplace(name, symbols.size());
  if (inserted)
    symbols.push_back({name.str(), Expr()});
  return getAffineSymbolExpr(it->second, context);
}

Expr SizeSymbols::fresh(StringRef name, std::optional<int64_t> low,
                        std::optional<int64_t> high) {
  std::string unique = name.str();
  while (positions.contains(unique))
    unique += "_";
  Expr symbol = dimension(unique);
  setBounds(symbol, low, high);
  return symbol;
}

void SizeSymbols::setBounds(Expr symbol, std::optional<int64_t> low,
                            std::optional<int64_t> high) {
  Symbol &known = symbols[cast<AffineSymbolExpr>(symbol).getPosition()];
  known.isInput = false;
  known.low = low;
  known.high = high;
}

std::pair<std::optional<int64_t>, std::optional<int64_t>>
SizeSymbols::boundsOf(AffineSymbolExpr symbol, int64_t least) const {
  const Symbol &known = symbols[symbol.getPosition()];
  if (known.isInput)
    return {least, std::nullopt};
  return {known.low, known.high};
}

Expr SizeSymbols::positivePart(Expr d) {
  Expr &part = positiveParts[d];
  if (!part) {
    part = getAffineSymbolExpr(symbols.size(), context);
    Symbol symbol{"", d};
    symbol.nesting = 1 + nesting(d);
    symbols.push_back(symbol);
  }
  return part;
}

unsigned SizeSymbols::nesting(Expr size) const {
  unsigned most = 0;
  size.walk([&](Expr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      most = std::max(most, symbols[symbol.getPosition()].nesting);
  });
  return most;
}

std::vector<std::string> SizeSymbols::names() const {
  std::vector<std::string> names;
  for (const Symbol &symbol : symbols)
    if (!symbol.positivePartOf)
      names.push_back(symbol.name);
  return names;
}

} // namespace tilewright::graph
