// Which curves are drawn: the list of names with its search, a chart a unit, drift, energy and steps.
const drawn = new Set(page.plotted.filter((name) => signals.has(name)));
let unitCharts = [];

const chosenSignals = () => [...drawn].map((name) => signals.get(name));

const sizeOf = ({ values }) => {
  let size = 0;
  for (const value of values) if (Math.abs(value) > size && Number.isFinite(value)) size = Math.abs(value);
  return size;
};

const buildCharts = () => {
  unitCharts.forEach((chart) => chart.remove());
  // A chart a unit, and another where signals of one unit differ in size so much that the smaller would look flat. A
  // colour stays with its variable.
  const groups = [];
  chosenSignals().forEach((signal, number) => {
    const size = sizeOf(signal);
    const ratio = (group) => Math.max(size, group.size) / (Math.min(size, group.size) || 1e-300);
    let group = groups.find((each) => each.unit === signal.unit && (each.size === size || ratio(each) <= 40));
    if (!group) groups.push(group = { unit: signal.unit, size, series: [] });
    group.series.push({ ...signal, number });
  });
  unitCharts = groups.map(({ series }) => new Chart(byId('charts'), { series: series.map((each) => ({
    ...each, get colour() { return curveColour(each.number); } })) }));
  byId('charts').dataset.count = String(unitCharts.length);
  byId('picked').textContent = `${drawn.size} of ${signals.size} drawn`;
  buildCurveTable();
};

const listLimit = 400;
const listNames = () => {
  const wanted = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = [...signals.values()].filter((signal) => {
    const text = `${signal.name} ${signal.description} ${signal.unit}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  byId('names-list').replaceChildren(...fitting.slice(0, listLimit).map((signal) => {
    const box = element('input', { type: 'checkbox' });
    box.checked = drawn.has(signal.name);
    box.addEventListener('change', () => {
      if (box.checked) drawn.add(signal.name); else drawn.delete(signal.name);
      buildCharts();
    });
    const thinned = signal.stride > 1 ? ` (every ${signal.stride}th point)` : '';
    return element('li', {}, element('label', { title: `${signal.name} ${signal.description}${thinned}` }, box,
      ` ${signal.name}`, element('span', { class: 'note' }, signal.unit ? ` ${signal.unit}` : '')));
  }));
  const left = fitting.length - Math.min(listLimit, fitting.length);
  const missing = page.signal_count - signals.size;
  byId('names-more').textContent = [left > 0 ? `and ${left} more: search to narrow down` : '',
    missing > 0 ? `${missing} further signals have no room in this page; --out writes them all` : ''].filter(Boolean).join('. ');
};

const tableRows = 21;
const buildCurveTable = () => {
  const [first, last] = view.full;
  const rows = Array.from({ length: tableRows }, (_, k) => first + (last - first) * k / (tableRows - 1));
  byId('curve-table').replaceChildren(tableOf(`The curves at ${tableRows} instants`,
    ['time [s]', ...chosenSignals().map((signal) => signal.name + (signal.unit ? ` [${signal.unit}]` : ''))],
    rows.map((t) => [numberText(t, 5), ...chosenSignals().map((signal) => numberText(valueAt(signal, t)))])));
};

const levelNames = ['constraints', 'first derivative', 'second derivative'];

const buildQuality = () => {
  const parent = byId('quality-charts');
  if (page.drift) {
    const time = timesOf(page.drift.time);
    new Chart(parent, { title: 'Drift of the constraints', log: true, small: true, series: page.drift.levels.map((level, k) => ({
      name: levelNames[k] ?? `derivative ${k}`, unit: '', time, values: arrayOf(level) })) });
  }
  const energies = ['energy', 'E_total', 'E', 'kinetic energy', 'potential energy'].filter((name) => signals.has(name));
  if (energies.length > 0) {
    new Chart(parent, { title: 'Energy', small: true, series: energies.map((name) => ({ ...signals.get(name) })) });
    const total = signals.get(energies[0]);
    const change = Float32Array.from(total.values, (value) => Math.abs(value - total.values[0]));
    new Chart(parent, { title: `Change of ${total.name} from the start`, log: true, small: true,
      series: [{ name: `|Δ ${total.name}|`, unit: total.unit, time: total.time, values: change }] });
  }
  if (page.steps) {
    const time = arrayOf(page.steps.t);
    new Chart(parent, { title: `Step size (${page.steps.count} steps)`, log: true, small: true,
      series: [{ name: 'h', unit: 's', time, values: arrayOf(page.steps.h) }] });
    const order = arrayOf(page.steps.order);
    new Chart(parent, { title: 'Order', whole: true, small: true, series: [{ name: 'order', unit: '', time, values: order, step: true }] });
  }
  if (!parent.children.length) byId('quality').hidden = true;
};

const startSeries = () => {
  byId('search').addEventListener('input', listNames);
  byId('picker').addEventListener('toggle', listNames, { once: true });
  byId('zoom-in').addEventListener('click', () => view.zoom(0.5));
  byId('zoom-out').addEventListener('click', () => view.zoom(2));
  byId('zoom-reset').addEventListener('click', () => view.all());
  buildCharts();
  buildQuality();
  showReadout();
};
