// Without it the page shows everything; with it rows can be hidden, found and sorted, and plots over time enlarged.
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

  // Plots over time share one window. What is drawn is stretched; the grid is drawn anew.
  const plots = all('svg[data-zoom]').map((svg) => {
    const number = (name) => Number(svg.dataset[name]);
    const plot = { svg, left: number('left'), right: number('right'), top: number('top'), bottom: number('bottom'),
      full: [number('from'), number('to')], low: number('low'), high: number('high'), log: svg.dataset.log === 'true',
      content: svg.querySelector('.content'), grid: svg.querySelector('.x-grid'), output: document.createElement('output') };
    svg.after(plot.output);
    svg.setAttribute('tabindex', '0');
    return plot;
  });
  if (plots.length === 0) return;
  const [first, last] = [Math.min(...plots.map((plot) => plot.full[0])), Math.max(...plots.map((plot) => plot.full[1]))];
  const view = { from: first, to: last };
  const svgElement = (name, attributes, text = '') => {
    const node = document.createElementNS('http' + '://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    node.textContent = text;
    return node;
  };
  const place = (plot, t) => plot.left + (plot.right - plot.left) * (t - view.from) / (view.to - view.from);
  const showGrid = (plot) => {
    const rough = (view.to - view.from) / 7;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const parts = [];
    for (let k = Math.ceil(view.from / step - 1e-9); k * step <= view.to + 1e-9 * step; ++k) {
      const x = place(plot, k * step).toFixed(1);
      parts.push(svgElement('line', { class: 'grid', x1: x, x2: x, y1: plot.bottom, y2: plot.top }),
        svgElement('text', { x, y: plot.bottom + 16, 'text-anchor': 'middle' }, (k * step).toFixed(digits)));
    }
    plot.grid.replaceChildren(...parts);
  };
  const showWindow = (from, to) => {
    const width = Math.min(Math.max(to - from, 1e-6 * (last - first)), last - first);
    view.from = Math.min(Math.max(from, first), last - width);
    view.to = view.from + width;
    plots.forEach((plot) => {
      const scale = (plot.full[1] - plot.full[0]) / (view.to - view.from);
      const shift = place(plot, plot.full[0]) - scale * plot.left;
      plot.content.setAttribute('transform', `matrix(${scale} 0 0 1 ${shift} 0)`);
      showGrid(plot);
    });
  };
  const zoom = (factor, at) => showWindow(at - (at - view.from) * factor, at + (view.to - at) * factor);

  // The value of the nearest curve, from the points of its path.
  const points = new Map();
  const pointsOf = (path) => {
    if (!points.has(path)) points.set(path, [...path.getAttribute('d').matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]));
    return points.get(path);
  };
  const heightAt = (path, x) => {
    const list = pointsOf(path);
    const k = list.findIndex((p) => p[0] >= x);
    if (k <= 0) return k === 0 ? list[0][1] : NaN;
    const [a, b] = [list[k - 1], list[k]];
    return b[0] === a[0] ? b[1] : a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
  };
  const read = (plot, t, y) => {
    const x = plot.left + (plot.right - plot.left) * (t - plot.full[0]) / (plot.full[1] - plot.full[0]);
    let [nearest, distance] = [null, Infinity];
    all('.series:not(.off)', plot.svg).forEach((group) => {
      const path = group.querySelector('.line');
      const height = path ? heightAt(path, x) : NaN;
      if (Math.abs(height - y) < distance) [nearest, distance] = [{ group, height }, Math.abs(height - y)];
    });
    const value = nearest && plot.low + (plot.high - plot.low) * (plot.bottom - nearest.height) / (plot.bottom - plot.top);
    plot.output.textContent = `t = ${Number(t.toPrecision(5))} s`
      + (nearest ? `: ${nearest.group.querySelector('title').textContent} ${(plot.log ? 10 ** value : value).toPrecision(3)}` : '');
  };

  plots.forEach((plot) => {
    const { svg } = plot;
    const where = (event) => {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const part = Math.min(1, Math.max(0, (p.x - plot.left) / (plot.right - plot.left)));
      return { t: view.from + part * (view.to - view.from), x: p.x, y: p.y };
    };
    const cursor = svgElement('line', { class: 'cursor', y1: plot.top, y2: plot.bottom });
    const band = svgElement('rect', { class: 'band', y: plot.top, height: plot.bottom - plot.top });
    let drag = null;
    svg.addEventListener('pointerdown', (event) => { svg.focus({ preventScroll: true }); svg.setPointerCapture(event.pointerId); drag = where(event); });
    svg.addEventListener('pointermove', (event) => {
      const at = where(event);
      read(plot, at.t, at.y);
      const x = place(plot, at.t);
      cursor.setAttribute('x1', x);
      cursor.setAttribute('x2', x);
      svg.append(cursor);
      if (!drag) return;
      band.setAttribute('x', Math.min(x, place(plot, drag.t)));
      band.setAttribute('width', Math.abs(x - place(plot, drag.t)));
      svg.append(band);
    });
    svg.addEventListener('pointerup', (event) => {
      const at = where(event);
      if (drag && Math.abs(at.x - drag.x) > 5) showWindow(Math.min(at.t, drag.t), Math.max(at.t, drag.t));
      drag = null;
      band.remove();
    });
    svg.addEventListener('pointerleave', () => { cursor.remove(); plot.output.textContent = ''; });
    svg.addEventListener('dblclick', () => showWindow(first, last));
    svg.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && document.activeElement !== svg) return;
      event.preventDefault();
      zoom(1.0015 ** event.deltaY, where(event).t);
    }, { passive: false });
    svg.addEventListener('keydown', (event) => {
      const middle = (view.from + view.to) / 2;
      const width = view.to - view.from;
      const side = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key];
      if (side) showWindow(view.from + side * width, view.to + side * width);
      else if (event.key === '+' || event.key === '=') zoom(0.7, middle);
      else if (event.key === '-') zoom(1 / 0.7, middle);
      else if (event.key === '0') showWindow(first, last);
      else return;
      event.preventDefault();
    });
  });
})();
