// How our HTML pages look; for Html.cpp only.
#ifndef TILEWRIGHT_SUPPORT_HTMLSTYLE_H
#define TILEWRIGHT_SUPPORT_HTMLSTYLE_H

#include <string_view>

namespace tilewright::html {

/// Tables are texts, with numbers in cells of the class "n"; those of the class
/// "numbers" are numbers, with texts in cells of the class "name". The --h of a
/// cell, from 0 to 1, is its heat.
constexpr std::string_view pageStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #fbfbfa; --card: #ffffff; --line: #e3e3df; --text: #1c1f23;
  --soft: #62686f; --ok: #2f6fce; --best: #c2410c; --grid: #ececea;
  --rejected: #8b9198; --wrong: #c92a3a; --crashed: #8f2bb3; --late: #b7791f;
  --memory: #0f8a7d; --shade: #f3f3f0; --heat: 232 119 34;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15171a; --card: #1d2024; --line: #33383e; --text: #e7e9eb;
    --soft: #9aa2ab; --ok: #6ea8fe; --best: #ff9a5c; --grid: #2a2e33;
    --rejected: #7f868e; --wrong: #ff6b78; --crashed: #d08bf0; --late: #e5b454;
    --memory: #4fd1c1; --shade: #24282d; --heat: 240 130 50;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 28px 24px 60px; max-width: 1280px;
  background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 26px; margin: 0 0 2px; }
h2 { font-size: 20px; margin: 32px 0 8px; overflow-wrap: anywhere; }
h3 { font-size: 15px; margin: 26px 0 8px; }
p { margin: 4px 0; }
.soft { color: var(--soft); }
code, .code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  font-size: 12.5px; overflow-wrap: anywhere; }
a { color: var(--ok); text-decoration: none; }
a:hover { text-decoration: underline; }
body > section { border-top: 1px solid var(--line); margin-top: 40px;
  padding-top: 26px; }
body > section > h2 { margin: 0; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.index th { cursor: pointer; user-select: none; }
.index th:hover { color: var(--text); }
.scroll { overflow-x: auto; }
.cards { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0 4px; }
.card { background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; padding: 10px 16px; min-width: 118px; }
.card b { display: block; font-size: 20px; font-weight: 600; }
.card span { color: var(--soft); font-size: 12.5px; }
.figures { display: grid; gap: 14px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); }
.two { display: grid; gap: 0 40px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
.small { grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
figure { margin: 0; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; padding: 10px 12px 8px; }
figcaption { font-weight: 600; font-size: 13.5px; }
figure p { color: var(--soft); font-size: 12.5px; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 11px system-ui, "Segoe UI", Roboto, sans-serif;
  fill: var(--soft); }
svg .name { fill: var(--text); }
svg .word { fill: var(--best); font-weight: 600; stroke: var(--card);
  stroke-width: 3; paint-order: stroke; stroke-linejoin: round; }
svg path { fill: none; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--soft); }
.lane { fill: var(--shade); }
circle.ok, circle.faint { fill: var(--ok); fill-opacity: .55; }
circle.faint { fill-opacity: .32; }
circle.rejected, .bar.rejected { fill: var(--rejected); background: var(--rejected); }
circle.wrong, .bar.wrong { fill: var(--wrong); background: var(--wrong); }
circle.crashed, .bar.crashed { fill: var(--crashed); background: var(--crashed); }
circle.late, .bar.late { fill: var(--late); background: var(--late); }
circle.memory, .bar.memory { fill: var(--memory); background: var(--memory); }
circle.best { fill: none; stroke: var(--best); stroke-width: 2; }
circle:hover { stroke: var(--text); stroke-width: 1.5; }
.best-line { stroke: var(--best); stroke-width: 2; stroke-linejoin: round; }
.roof { stroke: var(--text); stroke-width: 1.5; }
.same { stroke: var(--soft); stroke-dasharray: 4 4; }
span.bar { display: inline-block; height: 10px; border-radius: 2px; min-width: 2px;
  vertical-align: middle; }
.legend span { margin-right: 18px; white-space: nowrap; }
.legend i { display: inline-block; width: 9px; height: 9px; border-radius: 50%;
  margin-right: 6px; background: var(--ok); }
.legend .rejected { background: var(--rejected); }
.legend .wrong { background: var(--wrong); }
.legend .crashed { background: var(--crashed); }
.legend .late { background: var(--late); }
.legend .memory { background: var(--memory); }
.interval { width: 150px; height: 14px; }
.interval path { stroke: var(--ok); stroke-width: 2; }
.interval circle { fill: var(--ok); }
.numbers { font-variant-numeric: tabular-nums; }
.numbers th { position: sticky; top: 0; padding: 5px 10px; text-align: right;
  background: var(--page); border: 0; box-shadow: inset 0 -1px var(--line);
  white-space: nowrap; }
.numbers td { padding: 2px 10px; border: 0; text-align: right;
  white-space: nowrap; }
.numbers .name { text-align: left; }
.numbers .meaning { color: var(--soft); text-align: left; white-space: normal; }
td.bar { width: 30%; }
td.bar i { display: block; width: calc(var(--h) * 100%); min-width: 1px;
  height: 10px; border-radius: 2px; background: var(--ok); }
td.heat { background: rgb(var(--heat) / calc(var(--h) * .5)); }
td.warps { background: rgb(var(--heat) / calc(var(--h) * .2)); }
.over { color: var(--wrong); font-weight: 600; }
.lines td { line-height: 1.35; }
.lines td:last-child { width: 100%; }
td.number a { color: var(--soft); }
.numbers .ptx { padding-left: 20px; text-align: left; white-space: pre-wrap;
  overflow-wrap: anywhere; tab-size: 4;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  font-size: 12.5px; }
tr:target td.ptx { outline: 2px solid rgb(var(--heat)); }
)css";

} // namespace tilewright::html

#endif // TILEWRIGHT_SUPPORT_HTMLSTYLE_H
