// Playing a mechanism's motion: controls, keys, the mouse.
let timeChosen = () => {};  // a click on a chart
let shownScene = null;

const startPlayer = () => {
  if (!page.scene) return;
  byId('motion').hidden = false;
  const canvas = byId('scene');
  const scene = new Scene(canvas, page.scene);
  shownScene = scene;
  // A long mechanism has the page's width to itself.
  if (scene.aspect < 2.5) byId('stage').classList.add('two');
  else canvas.style.height = `${Math.round(Math.min(480, Math.max(240, 1400 / scene.aspect)))}px`;
  const [first, last] = [scene.times[0], scene.times[scene.times.length - 1]];
  const speeds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
  const state = { playing: false, speed: 1, before: 0 };

  const show = (t) => {
    scene.t = Math.min(last, Math.max(first, t));
    byId('scrub').value = 1000 * (scene.t - first) / (last - first || 1);
    byId('scrub').setAttribute('aria-valuetext', `${numberText(scene.t, 4)} seconds`);
    byId('scene-time').textContent = `t = ${scene.t.toFixed(3)} s`;
    canvas.dataset.time = scene.t;
    view.now = scene.t;
    redraw(scene);
    view.changed();
  };
  timeChosen = show;

  const frame = (stamp) => {
    if (!state.playing) return;
    const passed = Math.min(0.1, (stamp - state.before) / 1000);
    state.before = stamp;
    const t = scene.t + passed * state.speed;
    show(t >= last ? first : t);
    requestAnimationFrame(frame);
  };
  const play = (on) => {
    state.playing = on;
    byId('play').textContent = on ? '❚❚' : '▶';
    byId('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
    say(on ? 'Playing' : `Paused at ${numberText(scene.t, 4)} seconds`);
    if (on) {
      if (scene.t >= last) show(first);
      state.before = performance.now();
      requestAnimationFrame(frame);
    }
  };
  const setSpeed = (speed) => {
    state.speed = speed;
    byId('speed').value = String(speed);
  };

  byId('play').addEventListener('click', () => play(!state.playing));
  byId('scrub').addEventListener('input', (event) => {
    play(false);
    show(first + (last - first) * event.target.value / 1000);
  });
  byId('speed').append(...speeds.map((speed) => element('option', { value: speed }, `${speed}×`)));
  byId('speed').addEventListener('change', (event) => setSpeed(Number(event.target.value)));
  // What takes milliseconds is shown in seconds, what takes minutes as well.
  const length = last - first;
  setSpeed(length >= 1 && length <= 60 ? 1 : speeds.findLast((speed) => speed <= length / (length < 1 ? 4 : 30)) ?? speeds[0]);
  setUpOptions(scene);
  setUpViews(scene);
  setUpMouse(scene);

  const step = (last - first) / 200;
  const keys = {
    ' ': () => play(!state.playing),
    ArrowLeft: () => { play(false); show(scene.t - step); },
    ArrowRight: () => { play(false); show(scene.t + step); },
    ArrowUp: () => setSpeed(speeds[Math.min(speeds.length - 1, speeds.indexOf(state.speed) + 1)]),
    ArrowDown: () => setSpeed(speeds[Math.max(0, speeds.indexOf(state.speed) - 1)]),
    '+': () => { scene.camera.zoom *= 1.2; redraw(scene); },
    '=': () => { scene.camera.zoom *= 1.2; redraw(scene); },
    '-': () => { scene.camera.zoom /= 1.2; redraw(scene); },
    0: () => { scene.camera.reset(); redraw(scene); },
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.shiftKey && event.key.startsWith('Arrow')) {
      const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      orbit(scene, ...turn);
    } else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // Space plays wherever nothing else wants it.
  document.addEventListener('keydown', (event) => {
    if (event.key !== ' ' || event.target.closest('button, input, select, summary, a')) return;
    event.preventDefault();
    keys[' ']();
  });
  canvas.setAttribute('aria-label', `Animation of ${page.model}: ${scene.bodies.length} bodies, `
    + `${page.scene.joints.length} joints, ${numberText(first, 4)} to ${numberText(last, 4)} seconds`);
  buildSceneTable(scene);
  show(first);
};

const orbit = (scene, azimuth, height) => {
  const { camera } = scene;
  camera.flat = false;
  camera.azimuth += azimuth;
  camera.height = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, camera.height + height));
  redraw(scene);
};

const setUpOptions = (scene) => {
  const points = [
    ...page.scene.markers.map((marker) => ({ name: marker.name, body: marker.body, point: marker.point })),
    ...page.scene.joints.filter((joint) => joint.first >= 0).map((joint) => ({ name: `joint ${joint.name}`, body: joint.second, point: joint.p2 })),
    ...scene.bodies.map((body, b) => ({ name: `centre of ${body.name}`, body: b, point: [0, 0, 0] })),
  ];
  const trace = byId('trace');
  trace.append(element('option', { value: '' }, 'none'), ...points.map((point, k) => element('option', { value: k }, point.name)));
  const choose = () => {
    const point = trace.value === '' ? null : points[Number(trace.value)];
    scene.setTrace(point ? point.body : null, point && point.point);
  };
  trace.addEventListener('change', choose);
  // The first marker, or of a body or two the centre.
  const first = page.scene.markers.length > 0 ? 0 : scene.bodies.length <= 2 ? points.length - scene.bodies.length : -1;
  if (first >= 0) {
    trace.value = String(first);
    choose();
  }
  byId('reactions').addEventListener('change', (event) => {
    scene.options.reactions = event.target.checked;
    byId('arrows-label').hidden = !event.target.checked;
    byId('scene-hint').textContent = event.target.checked ? `largest joint force ${numberText(page.scene.force, 3)} N` : '';
    redraw(scene);
  });
  byId('reactions-label').hidden = !scene.reactions;
  byId('arrows').addEventListener('input', (event) => {
    scene.options.arrows = 10 ** event.target.value;
    redraw(scene);
  });
  byId('names').addEventListener('change', (event) => {
    scene.options.names = event.target.checked;
    redraw(scene);
  });
};

const setUpViews = (scene) => {
  byId('orbit-keys').hidden = page.scene.planar;
  if (page.scene.planar) return;
  const views = [['Front', { azimuth: 0, height: 0, flat: true }], ['Side', { azimuth: -Math.PI / 2, height: 0, flat: true }],
    ['Top', { azimuth: 0, height: Math.PI / 2, flat: true }], ['3-D', { azimuth: -0.6, height: 0.38, flat: false }]];
  for (const [name, angles] of views) {
    const button = element('button', { type: 'button' }, name);
    button.addEventListener('click', () => {
      scene.camera.reset();
      Object.assign(scene.camera, angles);
      redraw(scene);
    });
    byId('views').append(button, ' ');
  }
};

const setUpMouse = (scene) => {
  const { canvas, camera } = scene;
  let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, y: event.offsetY, move: event.shiftKey || event.button === 2 || page.scene.planar };
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    [drag.x, drag.y] = [event.offsetX, event.offsetY];
    if (drag.move) camera.shift = [camera.shift[0] + dx, camera.shift[1] + dy];
    else orbit(scene, -0.008 * dx, 0.008 * dy);
    redraw(scene);
  });
  canvas.addEventListener('pointerup', () => { drag = null; });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    camera.zoom = Math.min(50, Math.max(0.1, camera.zoom * 1.0015 ** -event.deltaY));
    redraw(scene);
  }, { passive: false });
  canvas.addEventListener('dblclick', () => { camera.reset(); redraw(scene); });
};

const buildSceneTable = (scene) => {
  const names = scene.bodies.slice(0, 12);
  const instants = Array.from({ length: 11 }, (_, k) => scene.times[0] + (scene.times[scene.times.length - 1] - scene.times[0]) * k / 10);
  const axes = page.scene.planar ? 2 : 3;
  const place = (pose) => pose.at.slice(0, axes).map((x) => numberText(Math.abs(x) < 1e-6 * scene.size ? 0 : x, 4)).join(', ');
  byId('scene-table').append(tableOf(`Centres of mass in metres${scene.bodies.length > 12 ? ', of the first 12 bodies' : ''}`,
    ['time [s]', ...names.map((body) => body.name)],
    instants.map((t) => { const poses = scene.poseAt(t); return [numberText(t, 4), ...names.map((_, b) => place(poses[b]))]; })));
};
