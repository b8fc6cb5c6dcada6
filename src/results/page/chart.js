// Curves over time on a canvas. All charts share one window of time and one cursor.
const view = {
  full: [allTimes[0] ?? 0, Math.max(allTimes[allTimes.length - 1] ?? 1, (allTimes[0] ?? 0) + 1e-12)],
  from: 0, to: 1,
  cursor: null,   // under the pointer or moved by key
  now: null,      // of the animation
  charts: new Set(),
  changed() { this.charts.forEach((chart) => { if (chart.seen) redraw(chart); }); showReadout(); },
  show(from, to) {
    const [first, last] = this.full;
    const least = (last - first) * 1e-7;
    const width = Math.min(Math.max(to - from, least), last - first);
    this.from = Math.min(Math.max(from, first), last - width);
    this.to = this.from + width;
    this.changed();
  },
  all() { this.show(...this.full); },
  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  },
  pan(part) { const width = this.to - this.from; this.show(this.from + part * width, this.to + part * width); },
  point(t) { this.cursor = t; this.changed(); },
};
[view.from, view.to] = view.full;

const showReadout = () => {
  const t = view.cursor ?? view.now;
  const near = t === null ? null : marks.find((mark) => Math.abs(mark.t - t) < (view.to - view.from) / 200);
  byId('readout').textContent = t === null ? `t = ${numberText(view.from, 5)} … ${numberText(view.to, 5)} s`
    : `t = ${numberText(t, 7)} s${near ? `  ·  ${near.text}` : ''}`;
};

const roundStep = (span, wanted) => {
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = rough / power;
  return power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
};
const ticksOf = (low, high, wanted) => {
  const step = roundStep(high - low, wanted);
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step))));
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && out.length < 50; ++k) {
    const value = k * step;
    const large = Math.max(Math.abs(low), Math.abs(high)) >= 1e6 || step < 1e-5;
    out.push({ value, label: (large ? numberText(value, 4) : value.toFixed(digits)).replace(/^-/, '−') });
  }
  return out;
};
const decadesOf = (low, high) => {
  const stride = Math.max(1, Math.ceil((high - low) / 6));
  const out = [];
  for (let k = Math.ceil(low / stride) * stride; k <= high; k += stride) out.push({ value: k, label: `1e${k}` });
  return out;
};

const leastLogarithm = -17; // below what a double resolves beside 1; exact zeros are drawn there

class Chart {
  // options: { title, log, whole (numbers), small, series: [{ name, unit, time, values, step, colour }] }
  constructor(parent, options) {
    Object.assign(this, options);
    this.off = new Set();
    this.drag = null;
    this.legend = element('ul', { class: 'legend' });
    this.canvas = element('canvas', { tabindex: '0', role: 'img', 'aria-describedby': 'chart-keys' });
    this.box = element('div', { class: `chart${this.small ? ' small' : ''}` }, this.title ? element('h3', {}, this.title) : null,
      this.legend, element('div', { class: 'area' }, this.canvas));
    parent.append(this.box);
    this.buildLegend();
    this.listen();
    this.sizes = new ResizeObserver(() => redraw(this));
    this.sizes.observe(this.canvas);
    // What is scrolled away is not drawn.
    this.seen = false;
    this.sight = new IntersectionObserver(([entry]) => { this.seen = entry.isIntersecting; if (this.seen) redraw(this); });
    this.sight.observe(this.canvas);
    view.charts.add(this);
    redraw(this);
  }

  remove() {
    view.charts.delete(this);
    this.sizes.disconnect();
    this.sight.disconnect();
    this.box.remove();
  }

  buildLegend() {
    this.values = this.series.map((series) => {
      const value = element('span', { class: 'value' });
      const line = element('i');
      series.line = line;
      const name = `${series.name}${series.unit ? ` [${series.unit}]` : ''}`;
      const button = element('button', { type: 'button', 'aria-pressed': 'true', title: series.description || 'Show or hide' }, line, name);
      button.addEventListener('click', () => {
        if (!this.off.delete(series.name)) this.off.add(series.name);
        button.setAttribute('aria-pressed', String(!this.off.has(series.name)));
        redraw(this);
      });
      this.legend.append(element('li', {}, button, value));
      return value;
    });
  }

  get shown() { return this.series.filter((series) => !this.off.has(series.name)); }
  scaled(value) { return this.log ? Math.max(leastLogarithm, Math.log10(Math.max(value, 1e-300))) : value; }

  // Rows first … last that are seen, one more at either side.
  rows(series) {
    const first = Math.max(0, indexAt(series.time, view.from) - 1);
    return [first, Math.min(series.time.length - 1, indexAt(series.time, view.to) + 1)];
  }

  range() {
    let [low, high] = [Infinity, -Infinity];
    for (const series of this.shown) {
      const [first, last] = this.rows(series);
      for (let i = first; i <= last; ++i) {
        const value = series.values[i];
        if (!Number.isFinite(value) || (this.log && value <= 0)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (low > high) return this.log ? [-16, 0] : [0, 1];
    if (this.log) {
      const [a, b] = [Math.floor(this.scaled(low)), Math.ceil(this.scaled(high))];
      return [a, Math.max(a + 1, b)];
    }
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (this.whole) return [Math.min(low, 1) - 0.5, high + 0.5];
    const margin = high - low > 1e-9 * size ? 0.05 * (high - low) : Math.max(0.05 * size, 1e-3);
    return [low - margin, high + margin];
  }

  // Curves are drawn when window, size, theme or choice change; while time goes by only the cursors move over them.
  draw() {
    const { context: c, width, height } = sharpContext(this.canvas);
    if (width < 120 || height < 60) return;
    const [left, right, top, bottom] = [64, width - 10, 8, height - 22];
    const key = [view.from, view.to, this.canvas.width, this.canvas.height, paint.card, ...this.off].join();
    if (key !== this.drawnFor) {
      this.drawnFor = key;
      const [low, high] = this.range();
      const x = (t) => left + (right - left) * (t - view.from) / (view.to - view.from);
      const y = (value) => bottom + (top - bottom) * (value - low) / (high - low);
      this.frame = { left, right, top, bottom, low, high, x, y };
      this.drawCurves();
      this.tell();
    }
    c.drawImage(this.base, 0, 0, width, height);
    c.save();
    c.beginPath();
    c.rect(left, top, right - left, bottom - top);
    c.clip();
    this.drawCursors(c, this.frame);
    c.restore();
  }

  drawCurves() {
    this.base ??= document.createElement('canvas');
    [this.base.width, this.base.height] = [this.canvas.width, this.canvas.height];
    const ratio = window.devicePixelRatio || 1;
    const c = this.base.getContext('2d');
    c.scale(ratio, ratio);
    const { left, right, top, bottom, x, y } = this.frame;
    this.drawGrid(c, this.frame);
    c.save();
    c.beginPath();
    c.rect(left, top, right - left, bottom - top);
    c.clip();
    this.drawMarks(c, x, top, bottom);
    this.series.forEach((series, k) => {
      const colour = series.colour ?? curveColour(k);
      series.line.style.borderColor = colour;
      if (!this.off.has(series.name)) this.drawCurve(c, series, colour, x, y);
    });
    c.restore();
    c.strokeStyle = paint.line;
    c.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  }

  drawGrid(c, { left, right, top, bottom, low, high, x, y }) {
    c.font = '12px system-ui, sans-serif';
    c.lineWidth = 1;
    c.fillStyle = paint.soft;
    c.strokeStyle = paint.grid;
    c.beginPath();
    c.textAlign = 'center';
    const ticks = ticksOf(view.from, view.to, Math.max(3, Math.min(10, (right - left) / 80)));
    for (const tick of ticks) {
      const at = Math.round(x(tick.value)) + 0.5;
      c.moveTo(at, top);
      c.lineTo(at, bottom);
      if (at > left - 1 && at < right - 8) c.fillText(tick.label, at, bottom + 15);
    }
    c.textAlign = 'right';
    for (const tick of this.yTicks(low, high, (bottom - top) / 38)) {
      const at = Math.round(y(tick.value)) + 0.5;
      c.moveTo(left, at);
      c.lineTo(right, at);
      c.fillText(tick.label, left - 7, at + 4);
    }
    c.stroke();
  }

  yTicks(low, high, wanted) {
    if (this.log) return decadesOf(low, high);
    const ticks = ticksOf(low, high, Math.max(2, wanted));
    return this.whole ? ticks.filter((tick) => Number.isInteger(tick.value)).map(({ value }) => ({ value, label: String(value) })) : ticks;
  }

  drawMarks(c, x, top, bottom) {
    c.lineWidth = 1;
    let drawn = -9;
    for (const mark of marks) {
      const at = Math.round(x(mark.t)) + 0.5;
      if (at < 0 || at - drawn < 2) continue;
      if (at > x(view.to)) continue;
      drawn = at;
      c.strokeStyle = c.fillStyle = markColour(mark.kind);
      c.setLineDash([4, 3]);
      c.beginPath();
      c.moveTo(at, top);
      c.lineTo(at, bottom);
      c.stroke();
      c.setLineDash([]);
      c.beginPath();
      c.moveTo(at - 4, top);
      c.lineTo(at + 4, top);
      c.lineTo(at, top + 6);
      c.fill();
    }
  }

  // Of the rows in one column of pixels: the first, the lowest, the highest and the last.
  drawCurve(c, series, colour, x, y) {
    const { time, values, step } = series;
    const [first, last] = this.rows(series);
    c.strokeStyle = colour;
    c.lineWidth = 1.6;
    c.lineJoin = 'round';
    c.beginPath();
    let [column, pen, lowest, highest, end] = [null, false, null, null, null];
    const go = ([px, py]) => { if (pen) c.lineTo(px, py); else c.moveTo(px, py); pen = true; };
    const flush = () => {
      if (column === null) return;
      column = null;
      if (this.log) return void go(lowest);  // how large it gets
      if (lowest[0] < highest[0]) { go(lowest); go(highest); } else { go(highest); go(lowest); }
      go(end);
    };
    const dense = last - first > (this.log ? 0.5 : 2) * (this.frame.right - this.frame.left);
    for (let i = first; i <= last; ++i) {
      const value = values[i];
      if (!Number.isFinite(value)) { flush(); pen = false; continue; }
      const [px, py] = [x(time[i]), y(this.scaled(value))];
      if (!dense) {
        if (step && pen) c.lineTo(px, end[1]);
        end = [px, py];
        go(end);
        continue;
      }
      const own = this.log ? Math.floor(px / 3) * 3 : Math.floor(px);
      if (own !== column) {
        flush();
        column = own;
        lowest = highest = end = [px, py];
        if (!this.log) go(end);
      }
      end = [px, py];
      if (py < lowest[1]) lowest = end; else if (py > highest[1]) highest = end;
    }
    flush();
    c.stroke();
  }

  drawCursors(c, { x, y, top, bottom }) {
    if (this.drag && this.drag.moved) {
      const [a, b] = [x(this.drag.from), x(this.drag.to)].sort((p, q) => p - q);
      c.globalAlpha = 0.15;
      c.fillStyle = paint.accent;
      c.fillRect(a, top, b - a, bottom - top);
      c.globalAlpha = 1;
    }
    for (const [t, colour] of [[view.now, paint.accent], [view.cursor, paint.text]]) {
      if (t === null) continue;
      c.strokeStyle = colour;
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(x(t), top);
      c.lineTo(x(t), bottom);
      c.stroke();
    }
    const t = view.cursor ?? view.now;
    this.series.forEach((series, k) => {
      const value = t === null ? null : valueAt(series, t);
      this.values[k].textContent = value === null ? '' : numberText(value, 5);
      if (value === null || this.off.has(series.name) || !Number.isFinite(value)) return;
      c.fillStyle = series.colour ?? curveColour(k);
      c.beginPath();
      c.arc(x(t), y(this.scaled(value)), 3.2, 0, 7);
      c.fill();
    });
  }

  // For those who do not see it.
  tell() {
    const names = this.shown.map((series) => series.name).join(', ');
    this.canvas.setAttribute('aria-label', `${this.title || 'Curves'}: ${names}, over time from ${numberText(view.from, 4)} to `
      + `${numberText(view.to, 4)} seconds${this.log ? ', logarithmic' : ''}`);
  }

  timeAt(event) {
    const part = (event.offsetX - this.frame.left) / (this.frame.right - this.frame.left);
    return view.from + Math.min(1, Math.max(0, part)) * (view.to - view.from);
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !this.frame) return;
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      const t = this.timeAt(event);
      this.drag = { from: t, to: t, x: event.offsetX, moved: false, pan: event.shiftKey };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!this.frame) return;
      const t = this.timeAt(event);
      if (this.drag) {
        if (this.drag.pan) return void view.show(view.from + this.drag.from - t, view.to + this.drag.from - t);
        this.drag.to = t;
        this.drag.moved = this.drag.moved || Math.abs(event.offsetX - this.drag.x) > 4;
      }
      view.point(t);
    });
    canvas.addEventListener('pointerup', () => {
      const drag = this.drag;
      this.drag = null;
      if (!drag || drag.pan) return;
      if (drag.moved) view.show(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
      else timeChosen(drag.from);
    });
    canvas.addEventListener('pointerleave', () => { if (!this.drag) view.point(null); });
    canvas.addEventListener('dblclick', () => view.all());
    canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      view.zoom(1.0015 ** event.deltaY, this.timeAt(event));
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  key(event) {
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (side && event.shiftKey) view.pan(0.1 * side);
    else if (side) {
      const t = (view.cursor ?? view.now ?? view.from) + side * (view.to - view.from) / 100;
      view.point(Math.min(view.to, Math.max(view.from, t)));
      say(`t = ${numberText(view.cursor, 4)}: ${this.shown.map((s) => `${s.name} ${numberText(valueAt(s, view.cursor), 4)}`).join(', ')}`);
    } else if (event.key === '+' || event.key === '=') view.zoom(0.7);
    else if (event.key === '-') view.zoom(1 / 0.7);
    else if (event.key === '0' || event.key === 'Home') view.all();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
