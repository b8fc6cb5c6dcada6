#include "study/html_report_assets.hpp"

namespace daedalus {

// Okabe and Ito's colours, told apart by colour-blind readers too; darker on white, lighter on black.
std::string_view html_style() {
  return R"css(
:root { color-scheme: light dark; --back: #fff; --text: #1c1c1c; --soft: #5a5a5a; --line: #d9d9d9; --band: #f4f5f7;
  --accent: #005a9c; --bad: #a32000;
  --k0: #0072b2; --k1: #c14d00; --k2: #007a59; --k3: #b0508a; --k4: #2b8cc4; --k5: #a87000; --k6: #000; --k7: #857800; }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { --back: #16181c; --text: #e8e8e8; --soft: #a8adb5;
  --line: #3a3e45; --band: #1f2227; --accent: #7cc4ff; --bad: #ff9b7a;
  --k0: #5ab4f0; --k1: #ff8a3d; --k2: #30c99a; --k3: #e6a0cb; --k4: #9bd6ff; --k5: #f0b840; --k6: #fff; --k7: #e3d84a; } }
:root[data-theme=dark] { color-scheme: dark; --back: #16181c; --text: #e8e8e8; --soft: #a8adb5;
  --line: #3a3e45; --band: #1f2227; --accent: #7cc4ff; --bad: #ff9b7a;
  --k0: #5ab4f0; --k1: #ff8a3d; --k2: #30c99a; --k3: #e6a0cb; --k4: #9bd6ff; --k5: #f0b840; --k6: #fff; --k7: #e3d84a; }
:root[data-theme=light] { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1400px; padding: 1rem; background: var(--back); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: .2rem 0; } h2 { font-size: 1.15rem; margin: 1.6rem 0 .4rem; }
p, li { max-width: 75rem; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: .2rem 0; }
th, td { padding: .2rem .45rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th.words, td.words, tbody th { text-align: left; font-weight: normal; }
td.why { white-space: normal; min-width: 60rem; font-size: .85rem; color: var(--soft); text-align: left; }
thead th { background: var(--band); vertical-align: bottom; font-weight: 600; }
tr.failed td.status, tr.differs td.status, tr.interrupted td.status { color: var(--bad); font-weight: 600; }
tr.refused { color: var(--soft); }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 4px;
  padding: .1rem .5rem; cursor: pointer; }
thead button { border: 0; padding: 0; font-weight: 600; } thead button::after { content: " \2195"; color: var(--soft); }
th[aria-sort=ascending] button::after { content: " \2191"; } th[aria-sort=descending] button::after { content: " \2193"; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.legend { position: sticky; top: 0; z-index: 1; background: var(--back); border-bottom: 1px solid var(--line);
  padding: .4rem 0; display: flex; flex-wrap: wrap; gap: .25rem .4rem; max-height: 30vh; overflow-y: auto; font-size: .85rem; }
.legend ul { display: contents; list-style: none; } .legend li { display: inline-flex; }
.legend button[aria-pressed=false] { opacity: .45; text-decoration: line-through; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 560px), 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; font-size: .95rem; }
figure svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg text { fill: var(--soft); } .grid { stroke: var(--line); } .frame { fill: none; stroke: var(--soft); }
.line { fill: none; stroke: var(--c); stroke-width: 1.5; stroke-linejoin: round; }
.mark { fill: var(--c); stroke: var(--back); stroke-width: .6; }
.reference { fill: none; stroke: var(--line); stroke-width: 6; }
.c0 { --c: var(--k0); } .c1 { --c: var(--k1); } .c2 { --c: var(--k2); } .c3 { --c: var(--k3); }
.c4 { --c: var(--k4); } .c5 { --c: var(--k5); } .c6 { --c: var(--k6); } .c7 { --c: var(--k7); }
dt { font-weight: 600; float: left; clear: left; min-width: 10rem; } dd { margin: 0 0 .1rem 10.5rem; }
.off { display: none; }
.pointed .series:not(.near) { opacity: .12; } .near .line { stroke-width: 3; }
@media print { .legend { position: static; } button { border: 0; } }
)css";
}

// Without it the page shows everything; with it rows can be hidden, found and sorted.
std::string_view html_script() {
  return R"js(
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const series = (number) => all(`.series[data-series="${number}"]`);
  const buttons = all('.legend button[data-series]');
  all('[data-script]').forEach((element) => element.removeAttribute('hidden'));

  const show = (button, on) => {
    button.setAttribute('aria-pressed', on);
    series(button.dataset.series).forEach((group) => group.classList.toggle('off', !on));
  };
  const point = (button, on) => {
    document.body.classList.toggle('pointed', on);
    series(button.dataset.series).forEach((group) => group.classList.toggle('near', on));
  };
  buttons.forEach((button) => {
    button.disabled = false;
    button.addEventListener('click', () => show(button, button.getAttribute('aria-pressed') !== 'true'));
    ['pointerenter', 'focus'].forEach((name) => button.addEventListener(name, () => point(button, true)));
    ['pointerleave', 'blur'].forEach((name) => button.addEventListener(name, () => point(button, false)));
  });
  all('button[data-show]').forEach((button) => button.addEventListener('click', () =>
    buttons.forEach((each) => show(each, button.dataset.show === 'all'))));

  document.querySelector('button[data-theme-switch]').addEventListener('click', () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  });

  const heads = all('thead th');
  const body = document.querySelector('tbody');
  const order = (text) => text === '' ? Infinity : Number(text);
  heads.forEach((head, column) => {
    const button = head.querySelector('button');
    if (!button) return;
    button.disabled = false;
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      heads.forEach((each) => each.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const rows = all('tr', body);
      rows.sort((a, b) => {
        const [x, y] = [a.children[column], b.children[column]];
        if (x.dataset.value === undefined) return x.textContent.localeCompare(y.textContent);
        const [p, q] = [order(x.dataset.value), order(y.dataset.value)];
        return p === q ? 0 : p - q;
      });
      if (down) rows.reverse();
      rows.forEach((row) => body.append(row));
    });
  });
})();
)js";
}

}  // namespace daedalus
