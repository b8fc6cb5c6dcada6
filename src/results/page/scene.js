// A mechanism at an instant, on a canvas: solids, joints, springs, markers, reactions, the trace of a point.
class Scene extends Sketch {
  constructor(canvas, data) {
    super();
    this.canvas = canvas;
    this.data = data;
    this.times = timesOf(data.time);
    this.poses = arrayOf(data.poses);
    this.reactions = data.reactions ? arrayOf(data.reactions) : null;
    this.bodies = data.bodies;
    this.t = this.times[0];
    this.options = { reactions: false, arrows: 1, names: false, trace: null };
    this.path = null;
    this.addSkeletons();
    this.measure();
    new ResizeObserver(() => redraw(this)).observe(canvas);
  }

  // Bodies without a shape are drawn by the points at which joints hold them.
  addSkeletons() {
    this.bodies.forEach((body) => { body.points = []; });
    const note = (number, point) => {
      if (number < 0) return;
      const { points } = this.bodies[number];
      if (!points.some((other) => vec.size(vec.sub(other, point)) < 1e-9)) points.push(point);
    };
    for (const joint of [...this.data.joints, ...this.data.springs]) {
      note(joint.first, joint.p1);
      note(joint.second, joint.p2);
    }
    this.data.markers.forEach((marker) => note(marker.body, marker.point));
    this.data.joints.forEach((joint) => this.addRoller(joint));
    for (const body of this.bodies) {
      if (body.points.length === 1 && vec.size(body.points[0]) > 1e-9) body.points.push([0, 0, 0]);
      if (body.points.length > 2) body.points = this.inOrder(body.points);
    }
  }

  // What rolls is round.
  addRoller({ kind, second, p2, axis, size }) {
    if (!kind.startsWith('rolling') || second < 0 || this.bodies[second].solids.length > 0) return;
    const disc = kind === 'rolling-disc';
    const turn = axis[2] > -0.999 ? [1 + axis[2], -axis[1], axis[0], 0] : [0, 1, 0, 0];  // of z to the axis
    const length = Math.hypot(...turn);
    this.bodies[second].solids.push({ outline: disc ? 'cylinder' : 'sphere', at: p2, turn: turn.map((x) => x / length),
      half: [size, size, disc ? 0.06 * size : size] });
  }

  // Around their middle, if they lie in a plane; else as they are.
  inOrder(points) {
    const middle = vec.times(1 / points.length, points.reduce(vec.add));
    const a = vec.sub(points[0], middle);
    const other = points.find((p) => vec.size(vec.cross(a, vec.sub(p, middle))) > 1e-9);
    if (!other) return [...points].sort((p, q) => vec.dot(vec.sub(p, q), a));
    const normal = vec.unit(vec.cross(a, vec.sub(other, middle)));
    const [e1, e2] = [vec.unit(a), vec.cross(normal, vec.unit(a))];
    const angle = (p) => Math.atan2(vec.dot(vec.sub(p, middle), e2), vec.dot(vec.sub(p, middle), e1));
    return [...points].sort((p, q) => angle(p) - angle(q));
  }

  // The pose of every body at frame k and a part of the way to the next.
  poseAt(t) {
    const k = indexAt(this.times, t);
    const next = Math.min(k + 1, this.times.length - 1);
    const part = next > k ? Math.min(1, Math.max(0, (t - this.times[k]) / (this.times[next] - this.times[k]))) : 0;
    const count = this.bodies.length;
    return this.bodies.map((_, b) => this.bodyAt(7 * (k * count + b), 7 * (next * count + b), part));
  }
  bodyAt(a, b, part) {
    const { poses, data } = this;
    const scale = data.half / 32767;
    const mix = (i, sign = 1) => poses[a + i] + part * (sign * poses[b + i] - poses[a + i]);
    let product = 0;
    for (let i = 3; i < 7; ++i) product += poses[a + i] * poses[b + i];
    const sign = product < 0 ? -1 : 1;
    const q = [3, 4, 5, 6].map((i) => mix(i, sign));
    const n = Math.hypot(...q) || 1;
    return { at: [0, 1, 2].map((i) => data.origin[i] + scale * mix(i)), axes: axesOf(q.map((x) => x / n)) };
  }
  place(poses, body, point) {
    return body < 0 ? point : vec.add(poses[body].at, turned(poses[body].axes, point));
  }

  // How large everything is over the whole run, and in which plane it moves, if in one.
  measure() {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const take = (p, extra = 0) => p.forEach((x, i) => {
      low[i] = Math.min(low[i], x - extra);
      high[i] = Math.max(high[i], x + extra);
    });
    const stride = Math.max(1, Math.floor(this.times.length / 80));
    let thick = 0;
    for (let k = 0; k < this.times.length; k += stride) {
      const poses = this.poseAt(this.times[k]);
      this.bodies.forEach((body, b) => {
        take(poses[b].at);
        body.points.forEach((point) => take(this.place(poses, b, point)));
        for (const solid of body.solids) {
          const along = turned(axesOf(solid.turn), [0, 0, solid.half[2]]);
          take(this.place(poses, b, vec.add(solid.at, along)));
          take(this.place(poses, b, vec.sub(solid.at, along)));
          if (solid.outline === 'capsule') continue;
          thick = Math.max(thick, solid.half[0], solid.half[1]);
          if (thick > 0) take(this.place(poses, b, solid.at), Math.max(solid.half[0], solid.half[1]));
        }
      });
    }
    for (const { first, second, p1, p2, kind } of [...this.data.joints, ...this.data.springs]) {
      if (first < 0 && !kind?.startsWith('rolling')) take(p1);
      if (second < 0) take(p2);
    }
    const extent = high.map((x, i) => x - low[i]);
    this.size = Math.max(...extent, 1e-9);
    this.low = low;
    this.extent = extent;
    this.flatAxis = this.data.planar ? 2 : extent.findIndex((x) => x < 1e-3 * this.size);
    this.isFlat = this.flatAxis >= 0;
    this.camera = new Camera(this.data.up);
    this.camera.target = low.map((x, i) => (x + high[i]) / 2);
    this.camera.reach = this.size * 0.75;
    this.camera.home = this.isFlat ? this.flatView() : { azimuth: -0.6, height: 0.38, flat: false };
    this.camera.reset();
    this.measureLinks();
    this.camera.prepare(100, 100, 1);
    const along = (axis) => vec.dot(extent.map(Math.abs), axis.map(Math.abs));
    this.aspect = along(this.camera.right) / Math.max(along(this.camera.above), 1e-3 * this.size);
  }

  // The middle length of a body, so that pins and bars are not larger than what they hold.
  measureLinks() {
    const lengths = this.bodies.map((body) => Math.max(0, ...body.points.map((p) => 2 * vec.size(p)),
      ...body.solids.map((solid) => 2 * Math.max(...solid.half)))).filter((length) => length > 0).sort((a, b) => a - b);
    this.link = lengths.length > 0 ? lengths[Math.floor(lengths.length / 2)] : this.size;
  }

  // Straight at the plane of the motion.
  flatView() {
    const normal = [0, 1, 2].map((i) => (i === this.flatAxis ? 1 : 0));
    const { up, ahead0, right0 } = this.camera;
    if (Math.abs(vec.dot(normal, up)) > 0.9) return { azimuth: 0, height: Math.PI / 2, flat: true };
    const along = vec.dot(normal, ahead0) > -1e-9 ? normal : vec.times(-1, normal);
    return { azimuth: Math.atan2(vec.dot(along, right0), vec.dot(along, ahead0)), height: 0, flat: true };
  }

  fit(width, height) {
    const camera = this.camera;
    camera.prepare(width, height, 1);
    let [wide, tall] = [1e-9, 1e-9];
    for (let corner = 0; corner < 8; ++corner) {
      const half = this.extent.map((x, i) => ((corner >> i) & 1 ? 0.5 : -0.5) * x);
      wide = Math.max(wide, Math.abs(vec.dot(half, camera.right)));
      tall = Math.max(tall, Math.abs(vec.dot(half, camera.above)));
    }
    if (camera.flat) return 0.42 * Math.min(width / wide, height / tall);
    return 0.4 * Math.min(width / wide, height / tall, 1.4 * Math.min(width, height) / (0.5 * this.size));
  }

  setTrace(body, point) {
    this.path = null;
    if (body !== null) this.path = Array.from(this.times, (t) => this.place(this.poseAt(t), body, point));
    redraw(this);
  }

  draw() {
    const began = performance.now();
    const { context: c, width, height } = sharpContext(this.canvas);
    if (width < 20) return;
    this.c = c;
    this.camera.prepare(width, height, this.fit(width, height));
    this.mark = Math.min(1, Math.max(0.3, this.link * this.camera.scale / 70));  // of pins and the like
    if (this.camera.flat) this.drawPaper(width, height); else this.drawFloor();
    if (this.path) this.drawPath();
    const poses = this.poseAt(this.t);
    // What is further away is drawn first.
    const parts = [];
    this.bodies.forEach((body, b) => this.addBody(parts, body, b, poses));
    this.addJoints(parts, poses);
    parts.sort((p, q) => q.depth - p.depth).forEach((part) => part.draw());
    if (this.options.reactions && this.reactions) this.drawReactions(poses);
    if (this.options.names) this.drawNames(poses);
    if (!this.camera.flat) this.drawTriad(height);
    this.canvas.dataset.drawMs = (performance.now() - began).toFixed(2);
  }

  drawPath() {
    const { c, camera } = this;
    const points = this.path.map((p) => camera.project(p));
    const now = indexAt(this.times, this.t);
    c.lineJoin = 'round';
    c.strokeStyle = paint.k1;
    c.lineWidth = 1.2;
    c.globalAlpha = 0.3;
    this.line(points);
    c.stroke();
    c.globalAlpha = 1;
    c.lineWidth = 2;
    this.line(points.slice(0, now + 1));
    c.stroke();
  }

  colour(number) { return curveColour(number % 6); }

  addBody(parts, body, b, poses) {
    const colour = this.colour(b);
    if (body.solids.length === 0) return this.addSkeleton(parts, body, b, poses, colour);
    for (const solid of body.solids) {
      const axes = axesOf(solid.turn);
      const toWorld = (local) => this.place(poses, b, vec.add(solid.at, turned(axes, local)));
      addSolid[solid.outline](this, parts, { solid, toWorld, colour });
    }
  }

  addSkeleton(parts, body, b, poses, colour) {
    const points = body.points.map((point) => this.camera.project(this.place(poses, b, point)));
    const centre = this.camera.project(poses[b].at);
    if (points.length < 2) {
      parts.push({ depth: centre[2], draw: () => this.ball(centre, 0.03 * this.size * centre[3], colour) });
    } else if (points.length === 2) {
      this.addBar(parts, points[0], points[1], 0.008 * this.size, colour);
    } else {
      parts.push({ depth: centre[2], draw: () => {
        const { c } = this;
        this.line(points, true);
        c.globalAlpha = 0.3;
        c.fillStyle = colour;
        c.fill();
        c.globalAlpha = 1;
        c.lineWidth = 4;
        c.lineJoin = 'round';
        c.strokeStyle = colour;
        c.stroke();
      } });
    }
  }

  // A round bar between two places of the canvas; long ones in pieces, so that they can pass in front and behind.
  addBar(parts, a, b, radius, colour) {
    const pieces = this.camera.flat ? 1 : 4;
    const at = (s) => a.map((x, i) => x + s * (b[i] - x));
    for (let k = 0; k < pieces; ++k) {
      const [p, q] = [at(k / pieces), at((k + 1) / pieces)];
      const round = [k === 0, k === pieces - 1];
      parts.push({ depth: (p[2] + q[2]) / 2, draw: () => this.bar(p, q, Math.max(6 * this.mark, radius * (p[3] + q[3])), { colour, round }) });
    }
  }
  addJoints(parts, poses) {
    const { camera } = this;
    for (const joint of this.data.joints) {
      const p1 = camera.project(this.place(poses, joint.first, joint.p1));
      const p2 = camera.project(this.place(poses, joint.second, joint.p2));
      if (joint.kind === 'distance') this.addBar(parts, p1, p2, 0.004 * this.size, paint.metal);
      if (joint.first < 0 && !joint.kind.startsWith('rolling')) parts.push({ depth: p1[2] + 1e-6, draw: () => this.support(p1, joint) });
      parts.push({ depth: p2[2] - 0.02 * this.size, draw: () => this.pin(p2) });
    }
    for (const spring of this.data.springs) {
      const p1 = camera.project(this.place(poses, spring.first, spring.p1));
      const p2 = camera.project(this.place(poses, spring.second, spring.p2));
      parts.push({ depth: (p1[2] + p2[2]) / 2, draw: () => this.coil(p1, p2) });
    }
    for (const marker of this.data.markers) {
      const p = camera.project(this.place(poses, marker.body, marker.point));
      parts.push({ depth: p[2] - 0.03 * this.size, draw: () => {
        this.c.fillStyle = paint.text;
        this.c.beginPath();
        this.c.arc(p[0], p[1], 2.6, 0, 7);
        this.c.fill();
      } });
    }
  }
  // Forces on the second body of each joint, as long as `arrows` makes them.
  drawReactions(poses) {
    const { c, data } = this;
    const k = indexAt(this.times, this.t);
    const next = Math.min(k + 1, this.times.length - 1);
    const part = next > k ? (this.t - this.times[k]) / (this.times[next] - this.times[k]) : 0;
    const scale = 0.3 * this.size * this.options.arrows / this.usualForce();
    c.strokeStyle = c.fillStyle = paint.force;
    c.lineWidth = Math.max(1.2, 2.2 * this.mark);
    data.joints.forEach((joint, j) => {
      if (!joint.reaction) return;
      const force = [0, 1, 2].map((i) => {
        const [a, b] = [this.reactions[3 * (k * data.joints.length + j) + i], this.reactions[3 * (next * data.joints.length + j) + i]];
        return scale * (a + part * (b - a));
      });
      const from = this.place(poses, joint.second, joint.p2);
      this.arrow(this.camera.project(from), this.camera.project(vec.add(from, force)));
    });
  }
  // A force that is exceeded a tenth of the time: a blow must not make all other arrows vanish.
  usualForce() {
    if (this.usual) return this.usual;
    const sizes = [];
    const stride = 3 * Math.max(1, Math.floor(this.reactions.length / 3 / 20000));
    for (let i = 0; i + 2 < this.reactions.length; i += stride) {
      const size = Math.hypot(this.reactions[i], this.reactions[i + 1], this.reactions[i + 2]);
      if (size > 0) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    this.usual = sizes[Math.floor(0.9 * sizes.length)] || 32767;
    return this.usual;
  }
  drawNames(poses) {
    const { c } = this;
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'center';
    const write = (text, p, colour) => {
      c.lineWidth = 3;
      c.strokeStyle = paint.card;
      c.strokeText(text, p[0], p[1] - 9);
      c.fillStyle = colour;
      c.fillText(text, p[0], p[1] - 9);
    };
    this.bodies.forEach((body, b) => write(body.name, this.camera.project(poses[b].at), this.colour(b)));
    this.data.joints.forEach((joint) => write(joint.name, this.camera.project(this.place(poses, joint.second, joint.p2)), paint.soft));
  }
}
