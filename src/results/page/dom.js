// Small helpers for elements, numbers and colours.
const byId = (id) => document.getElementById(id);

// element('td', { class: 'number' }, 'text', child …)
const element = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};

// Short, but with all digits that a single-precision number has when asked for.
const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

const numberText = (value, digits = 6) => {
  if (value === null || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(Math.max(0, digits - 3))
    : String(Number(value.toPrecision(digits)));
  return text.replace('-', '−').replace('e−', 'e-').replace('e+', 'e');
};

const say = (text) => { byId('live').textContent = text; };

// Colours follow the theme.
const paint = {};
const readColours = () => {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['back', 'card', 'text', 'soft', 'line', 'grid', 'accent', 'metal', 'ground', 'rank', 'event', 'force',
    'k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']) paint[name] = style.getPropertyValue(`--${name}`).trim();
};
const curveColour = (number) => paint[`k${number % 8}`];
const markColour = (kind) => (kind === 'rank' ? paint.rank : paint.event);

// A colour lighter (part > 0) or darker (part < 0).
const shade = (hex, part) => {
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map((c) => c + c).join('')}` : hex;
  const channels = [1, 3, 5].map((i) => parseInt(full.slice(i, i + 2), 16));
  const aim = part > 0 ? 255 : 0;
  return `rgb(${channels.map((c) => Math.round(c + Math.abs(part) * (aim - c))).join(' ')})`;
};

// Redraws at most once a frame, and only what was asked for.
const waiting = new Set();
const redraw = (drawer) => {
  if (waiting.size === 0) requestAnimationFrame(() => {
    const now = [...waiting];
    waiting.clear();
    now.forEach((each) => each.draw());
  });
  waiting.add(drawer);
};

// A canvas as sharp as the screen: its context, with units of CSS pixels.
const sharpContext = (canvas) => {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
};

const tableOf = (caption, heads, rows) => {
  const table = element('table', {}, element('caption', {}, caption));
  table.append(element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))));
  const body = element('tbody');
  for (const row of rows) {
    body.append(element('tr', {}, ...row.map((cell, k) => (k === 0 ? element('th', { scope: 'row' }, cell)
      : element('td', typeof cell === 'string' && /^[−\d–∞]/.test(cell) ? { class: 'number' } : {}, cell)))));
  }
  table.append(body);
  return table;
};
