// How the run went, in words: chips at the top, warnings, a table, the log of events.
// Many or long warnings open on demand.
const addWarnings = (warnings) => {
  const long = warnings.length > 1 || warnings.some((text) => text.length > 200);
  if (warnings.length === 0) return;
  const list = element('ul', {}, ...warnings.map((text) => element('li', {}, text)));
  byId('alerts').append(!long ? element('p', { class: 'alert' }, `Warning: ${warnings[0]}`)
    : element('details', { class: 'alert' }, element('summary', {}, `${plural(warnings.length, 'warning')}: ${warnings[0].slice(0, 100)} …`), list));
};

const startHead = () => {
  const { summary } = page;
  byId('model').textContent = page.model;
  const chip = (text, kind = '') => element('span', { class: `chip ${kind}` }, text);
  if (summary.status === 'file') {  // of a result alone, nothing is known of how it came about
    byId('chips').append(chip(`t = ${numberText(view.full[0], 4)} … ${numberText(summary.t_end, 4)} s`));
    return;
  }
  const steps = plural(summary.steps, 'step');
  byId('chips').append(chip(summary.status === 'ok' ? 'ok' : `failed at t = ${numberText(summary.t_end)}`, summary.status),
    chip(`t = ${numberText(view.full[0], 4)} … ${numberText(summary.t_end, 4)} s`), chip(`index ${summary.index}`),
    chip(`${plural(summary.dof, 'degree')} of freedom`), chip(summary.formulation), chip(summary.integrator), chip(steps));
  if (summary.events > 0) byId('chips').append(chip(plural(summary.events, 'event')));
  if (summary.rank_changes.length > 0) byId('chips').append(chip(plural(summary.rank_changes.length, 'rank change')));
  if (summary.reason) byId('alerts').append(element('p', { class: 'alert bad', role: 'alert' }, summary.reason));
  addWarnings(summary.warnings);
};

const driftText = (drift) => drift.levels.map((value, k) =>
  `${['position', 'velocity', 'acceleration'][k] ?? `level ${k}`} ${numberText(value, 3)}`).join(', ') || 'no constraints';

const summaryRows = (summary) => [
  ['status', summary.status], ['reason', summary.reason], ['end time', `${numberText(summary.t_end, 9)} s`],
  ['formulation', summary.formulation], ['integrator', summary.integrator], ['why', summary.why],
  ['structure', `index ${summary.index}, ${plural(summary.dof, 'degree')} of freedom, ${summary.unknowns} unknowns`],
  ['linear solver', summary.linear_solver],
  ['work', `${plural(summary.steps, 'step')}, ${summary.rejected} rejected, ${summary.residual_evals} residuals, `
    + `${summary.jacobian_evals} Jacobians, ${summary.factorizations} factorizations, ${summary.newton_iterations} Newton iterations`],
  ['drift', driftText(summary.drift)],
  ['events', summary.events ? String(summary.events) : ''], ['pivots', summary.pivots ? String(summary.pivots) : ''],
  ['time taken', Object.entries(summary.seconds).map(([stage, value]) => `${stage} ${numberText(value, 2)} s`).join(', ')],
].filter(([, text]) => text);

const startSummary = () => {
  const { summary } = page;
  byId('summary').hidden = summary.status === 'file';
  byId('summary-table').append(element('tbody', {}, ...summaryRows(summary).map(([name, text]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, text)))));
  if (marks.length > 0) {
    const table = tableOf('Marked instants', ['time [s]', 'what'], marks.slice(0, 200).map((mark) => [numberText(mark.t, 9), mark.text]));
    byId('logs').append(element('details', marks.length <= 8 ? { open: '' } : {}, element('summary', {}, `Events and changes of rank (${marks.length})`), table));
  }
  if (summary.initialisation.length > 0) {
    byId('logs').append(element('details', {}, element('summary', {}, 'How the run began'),
      element('ul', {}, ...summary.initialisation.map((text) => element('li', {}, text)))));
  }
  if (summary.final) {
    byId('logs').append(element('details', {}, element('summary', {}, 'Values at the end'), element('div', { class: 'wide' },
      tableOf('Values at the end', ['name', 'value'], Object.entries(summary.final).map(([name, value]) => [name, numberText(value, 9)])))));
  }
  byId('summary-json').textContent = JSON.stringify(summary, null, 2);
  if (page.command) byId('command').append('Made by ', element('code', {}, page.command));
};
