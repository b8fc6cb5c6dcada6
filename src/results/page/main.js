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

// page.html#t=1.5&forces=on&theme=dark opens at an instant, with the joint forces, in the dark.
const wanted = new URLSearchParams(location.hash.slice(1));
chosenTheme = wanted.has('theme');
setTheme(wanted.get('theme') ?? (dark.matches ? 'dark' : 'light'));
startHead();
startPlayer();
startSeries();
startStructure();
startSummary();
if (wanted.get('forces') === 'on') byId('reactions').click();
if (wanted.has('t')) timeChosen(Number(wanted.get('t')));
root.dataset.ready = 'true';
