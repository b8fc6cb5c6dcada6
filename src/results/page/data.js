// The data of the page: names as JSON, numbers as one block of bytes that typed arrays look into.
const page = JSON.parse(document.getElementById('data').textContent);

const block = (() => {
  const text = atob(document.getElementById('numbers').textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
})();

const arrayKinds = { f32: Float32Array, f64: Float64Array, i16: Int16Array, i32: Int32Array };

// An array as results/page_blob.hpp wrote it.
const arrayOf = (place) => new arrayKinds[place.type](block, place.at, place.length);

// Times are an array, or even.
const timesOf = (place) => {
  if (place.type) return arrayOf(place);
  const out = new Float64Array(place.count);
  const step = (place.to - place.from) / Math.max(1, place.count - 1);
  for (let i = 0; i < place.count; ++i) out[i] = place.from + i * step;
  return out;
};

// Number of the last time that is not after t, at least 0.
const indexAt = (times, t) => {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
};

// The value at a time: held if discrete, else between the rows.
const valueAt = (series, t) => {
  const { time, values } = series;
  if (time.length === 0) return NaN;
  const i = indexAt(time, t);
  if (series.step || i + 1 >= time.length || t <= time[i]) return values[i];
  const part = (t - time[i]) / (time[i + 1] - time[i]);
  return values[i] + part * (values[i + 1] - values[i]);
};

const signals = new Map();
for (const table of page.tables) {
  const time = timesOf(table.time);
  for (const signal of table.signals) {
    signals.set(signal.name, { name: signal.name, unit: signal.unit, description: signal.description || '',
      step: signal.discrete, time, values: arrayOf(signal.data), stride: table.stride });
  }
}

const allTimes = timesOf(page.tables[0].time);

// Instants to mark, with what happened there.
const marks = [
  ...page.summary.event_log.map((event) => ({ t: event.t, kind: 'event', text: `event: ${event.what}` })),
  ...page.summary.rank_changes.map((change) => ({ t: change.t, kind: 'rank',
    text: `rank ${change.from} → ${change.to}: ${change.constraints.slice(0, 3).join('; ')}`
      + (change.constraints.length > 3 ? ` and ${change.constraints.length - 3} more` : '') })),
].filter((mark) => mark.t !== null);
