// How the HTML report looks; for its source only.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_PAGESTYLE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_PAGESTYLE_H

#include <string_view>

namespace tilewright::emulator {

/// A cell's --h, from 0 to 1, is its heat.
constexpr std::string_view pageStyle = R"(
:root { color-scheme: light dark; --ground: #fcfcfb; --ink: #1c1f23;
  --quiet: #646b75; --rule: #e2e4e8; --panel: #f3f4f6; --heat: 232 119 34;
  --bar: #3b6ea8; --bad: #96150e; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181c;
  --ink: #e3e6ea; --quiet: #969fab; --rule: #2c3138; --panel: #1d2127;
  --heat: 240 130 50; --bar: #6ea3dd; --bad: #ffb4ab; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem 1.5rem 4rem;
  background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.05rem; }
p { margin: .2rem 0; color: var(--quiet); }
.cards { display: grid; gap: .7rem; margin-top: 1.2rem;
  grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); }
.card { padding: .7rem .9rem; border-radius: .5rem; background: var(--panel); }
.card b { display: block; font-size: 1.35rem; font-weight: 600;
  font-variant-numeric: tabular-nums; }
.card span { color: var(--quiet); font-size: .85rem; }
.two { display: grid; gap: 0 2.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
table { width: 100%; border-collapse: collapse; font-size: .88rem;
  font-variant-numeric: tabular-nums; }
th { position: sticky; top: 0; padding: .3rem .6rem; text-align: right;
  font-weight: 600; color: var(--quiet); background: var(--ground);
  box-shadow: inset 0 -1px var(--rule); white-space: nowrap; }
td { padding: .12rem .6rem; text-align: right; white-space: nowrap; }
.name { text-align: left; }
td.meaning { color: var(--quiet); text-align: left; white-space: normal; }
td.bar { width: 30%; }
td.bar i { display: block; width: calc(var(--h) * 100%); min-width: 1px;
  height: .6rem; border-radius: 2px; background: var(--bar); }
td.heat { background: rgb(var(--heat) / calc(var(--h) * .5)); }
td.warps { background: rgb(var(--heat) / calc(var(--h) * .2)); }
.over { color: var(--bad); font-weight: 600; }
.code td { line-height: 1.35; }
.code td:last-child { width: 100%; }
td.number a { color: var(--quiet); text-decoration: none; }
td.ptx { padding-left: 1.2rem; text-align: left; white-space: pre-wrap;
  overflow-wrap: anywhere;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  font-size: .82rem; tab-size: 4; }
tr:target td.ptx { outline: 2px solid rgb(var(--heat)); }
a { color: var(--bar); }
)";

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_PAGESTYLE_H
