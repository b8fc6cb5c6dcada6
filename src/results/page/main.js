// The theme, and the order in which things begin.
const root = document.documentElement;
const dark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = (name) => {
  root.dataset.theme = name;
  byId('theme').setAttribute('aria-pressed', String(name === 'dark'));
  byId('theme').textContent = name === 'dark' ? '☀ Light' : '☾ Dark';
  readColours();
  view.charts.forEach(redraw);
  spies.forEach(redraw);
  if (shownScene) redraw(shownScene);
};
let chosenTheme = false;
byId('theme').addEventListener('click', () => {
  chosenTheme = true;
  setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark');
});
dark.addEventListener('change', () => { if (!chosenTheme) setTheme(dark.matches ? 'dark' : 'light'); });

setTheme(dark.matches ? 'dark' : 'light');
startHead();
startPlayer();
startSeries();
startStructure();
startSummary();
root.dataset.ready = 'true';
