// Which unknown occurs in which equation: as written, and ordered so that blocks follow from those before them.
const spyMargin = 8;
const labelled = 24;  // up to this size rows and columns have their names


class Spy {
  // order: { rows, columns }: where equation and variable are drawn; blocks: [[first, size]]
  constructor(parent, { title, structure, order, blocks }) {
    Object.assign(this, { structure, order, blocks });
    this.rows = arrayOf(structure.rows);
    this.columns = arrayOf(structure.columns);
    this.orders = arrayOf(structure.orders);
    this.size = Math.max(structure.equations.length, structure.variables.length);
    this.margin = this.size <= labelled ? [110, 64] : [spyMargin, spyMargin];
    this.equationAt = inverse(order.rows);
    this.variableAt = inverse(order.columns);
    this.pointed = null;
    this.canvas = element('canvas', { role: 'img', tabindex: '0', 'aria-label':
      `${title}: ${structure.equations.length} equations, ${structure.variables.length} unknowns, ${this.rows.length} entries. The tables below have the names.` });
    this.readout = element('p', { class: 'readout', 'aria-live': 'off' });
    if (this.size <= labelled) {
      this.canvas.style.maxWidth = `${this.margin[0] + 36 * this.size + spyMargin}px`;
      this.canvas.style.aspectRatio = `${this.margin[0] + 36 * this.size + spyMargin} / ${this.margin[1] + 36 * this.size + spyMargin}`;
    }
    parent.append(element('div', { class: 'spy' }, element('h3', {}, title), this.canvas, this.readout));
    this.present = new Map();
    this.rows.forEach((row, k) => this.present.set(row * this.size + this.columns[k], this.orders[k]));
    new ResizeObserver(() => redraw(this)).observe(this.canvas);
    this.listen();
    spies.push(this);
    this.rest();
  }

  rest() { this.readout.textContent = 'Point at an entry, or move by arrow keys: orange where a derivative occurs.'; }

  draw() {
    const { context: c, width } = sharpContext(this.canvas);
    const [left, top] = this.margin;
    this.cell = (width - left - spyMargin) / this.size;
    const across = (k) => left + k * this.cell;
    const down = (k) => top + k * this.cell;
    if (this.pointed) {
      c.fillStyle = paint.grid;
      c.fillRect(across(this.pointed[1]), 0, this.cell, width);
      c.fillRect(0, down(this.pointed[0]), width, this.cell);
    }
    if (this.size <= labelled) this.drawNames(c, across, down);
    const dot = Math.max(1.2, this.cell * 0.82);
    for (let k = 0; k < this.rows.length; ++k) {
      c.fillStyle = this.orders[k] > 0 ? paint.k1 : paint.k0;
      c.globalAlpha = this.orders[k] > 0 ? 1 : 0.75;
      c.fillRect(across(this.order.columns[this.columns[k]]) + (this.cell - dot) / 2, down(this.order.rows[this.rows[k]]) + (this.cell - dot) / 2, dot, dot);
    }
    c.globalAlpha = 1;
    c.strokeStyle = paint.text;
    c.lineWidth = 1;
    for (const [first, size] of this.blocks) {
      if (size > 1 || this.size <= 60) c.strokeRect(across(first), down(first), size * this.cell, size * this.cell);
    }
  }

  drawNames(c, across, down) {
    const [left, top] = this.margin;
    c.font = '12px system-ui, sans-serif';
    c.fillStyle = paint.soft;
    const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
    c.textAlign = 'right';
    this.structure.equations.forEach((each, i) => {
      c.fillText(short(each.text.replace(/ \([^()]*:\d+:\d+\)$/, ''), 16), left - 7, down(this.order.rows[i] + 0.5) + 4);
    });
    c.textAlign = 'left';
    this.structure.variables.forEach((each, j) => {
      c.save();
      c.translate(across(this.order.columns[j] + 0.5) + 4, top - 7);
      c.rotate(-Math.PI / 2);
      c.fillText(short(each.name, 9), 0, 0);
      c.restore();
    });
  }

  point(row, column) {
    const { structure } = this;
    const last = this.size - 1;
    this.pointed = [Math.min(last, Math.max(0, row)), Math.min(last, Math.max(0, column))];
    const [i, j] = [this.equationAt[this.pointed[0]], this.variableAt[this.pointed[1]]];
    const equation = structure.equations[i]?.text ?? '–';
    const variable = structure.variables[j]?.name ?? '–';
    const order = this.present.get(i * this.size + j);
    const how = order === undefined ? 'does not occur in' : order === 0 ? 'occurs in' : order === 1 ? 'with its derivative in' : `with derivative ${order} in`;
    this.readout.textContent = `${variable}  ${how}  ${equation}`;
    redraw(this);
  }

  listen() {
    this.canvas.addEventListener('pointermove', (event) => {
      if (!this.cell) return;
      this.point(Math.floor((event.offsetY - this.margin[1]) / this.cell), Math.floor((event.offsetX - this.margin[0]) / this.cell));
    });
    this.canvas.addEventListener('pointerleave', () => { this.pointed = null; this.rest(); redraw(this); });
    this.canvas.addEventListener('keydown', (event) => {
      const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!move) return;
      const [row, column] = this.pointed ?? [0, -move[1]];
      this.point(row + move[0], column + move[1]);
      say(this.readout.textContent);
      event.preventDefault();
    });
  }
}
const spies = [];

const inverse = (order) => {
  const out = [];
  order.forEach((place, k) => { out[place] = k; });
  return out;
};

const blockOrder = (structure) => {
  const order = { rows: [], columns: [] };
  const blocks = [];
  let next = 0;
  for (const [equations, variables] of structure.blocks) {
    blocks.push([next, equations.length]);
    equations.forEach((i, k) => { order.rows[i] = next + k; });
    variables.forEach((j, k) => { order.columns[j] = next + k; });
    next += equations.length;
  }
  return { order, blocks };
};

const startStructure = () => {
  const { structure } = page;
  if (!structure) return;
  byId('structure').hidden = false;
  const { equations, variables, blocks } = structure;
  const largest = blocks ? Math.max(...blocks.map(([own]) => own.length)) : 0;
  byId('structure-text').textContent = `${equations.length} equations, ${variables.length} unknowns`
    + (blocks ? `, structural index ${structure.index}, ${plural(structure.dof, 'degree')} of freedom, ${plural(blocks.length, 'block')}, the largest of ${largest}.`
      : '. The constraints are redundant, so that there is no square structure with blocks; the summary has the index.');
  const plain = (list) => list.map((_, k) => k);
  new Spy(byId('spies'), { title: 'As written', structure, order: { rows: plain(equations), columns: plain(variables) }, blocks: [] });
  if (blocks) new Spy(byId('spies'), { title: 'Block triangular', structure, ...blockOrder(structure) });
  if (structure.hidden?.length) showHidden(structure);
  byId('structure-tables').append(
    tableOf('Equations', ['number', 'equation', 'differentiated'], equations.map((each, k) => [String(k + 1), each.text, each.c === undefined ? '–' : `${each.c} times`])),
    tableOf('Unknowns', ['number', 'name', 'highest derivative'], variables.map((each, k) => [String(k + 1), each.name, each.d === undefined ? '–' : String(each.d)])));
};

const showHidden = (structure) => {
  const list = element('ol', { class: 'hidden-list' }, ...structure.hidden.map((each) => element('li', {},
    each.text ? element('code', {}, each.text) : null, element('span', { class: 'note' }, ` ${each.level} of ${each.of}`))));
  const more = structure.hidden_count - structure.hidden.length;
  byId('hidden-constraints').append(element('h3', {}, `Hidden constraints (${structure.hidden_count})`), list,
    more > 0 ? element('p', { class: 'note' }, `and ${more} more`) : '');
};
