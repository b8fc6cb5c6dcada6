// The strokes of a mechanism's picture: paper and floor, bars, balls, pins, supports, springs, arrows. What they need of
// the scene is its context `c`, its camera, its size and `mark`, the scale of small signs.
class Sketch {
  line(points, close = false) {
    this.c.beginPath();
    points.forEach((p, i) => (i === 0 ? this.c.moveTo(p[0], p[1]) : this.c.lineTo(p[0], p[1])));
    if (close) this.c.closePath();
  }

  drawPaper(width, height) {
    const { c, camera } = this;
    const step = roundStep(Math.min(width, height) / camera.scale, 5);
    const origin = camera.project([0, 0, 0]);
    const pixels = step * camera.scale;
    c.strokeStyle = paint.grid;
    c.lineWidth = 1;
    c.beginPath();
    for (let x = origin[0] - Math.floor(origin[0] / pixels) * pixels; x < width; x += pixels) { c.moveTo(x, 0); c.lineTo(x, height); }
    for (let y = origin[1] - Math.floor(origin[1] / pixels) * pixels; y < height; y += pixels) { c.moveTo(0, y); c.lineTo(width, y); }
    c.stroke();
    c.strokeStyle = c.fillStyle = paint.soft;
    c.lineWidth = 1.5;
    this.line([[14, height - 18], [14, height - 13], [14 + pixels, height - 13], [14 + pixels, height - 18]]);
    c.stroke();
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'left';
    c.fillText(`${numberText(step, 3)} m`, 20, height - 19);
  }

  drawFloor() {
    const { c, camera } = this;
    const up = camera.up;
    const [e1, e2] = [camera.right0, camera.ahead0];
    const lowest = Math.min(...[0, 1, 2, 3, 4, 5, 6, 7].map((corner) =>
      vec.dot(up, this.low.map((x, i) => x + ((corner >> i) & 1 ? this.extent[i] : 0))))) - 0.03 * this.size;
    const step = roundStep(this.size, 6);
    const middle = [e1, e2].map((e) => Math.round(vec.dot(camera.target, e) / step));
    const at = (i, j) => camera.project(vec.add(vec.add(vec.times(lowest, up), vec.times((middle[0] + i) * step, e1)),
      vec.times((middle[1] + j) * step, e2)));
    c.strokeStyle = paint.line;
    c.lineWidth = 1;
    c.beginPath();
    for (let i = -6; i <= 6; ++i) {
      const lines = [[at(i, -6), at(i, 6)], [at(-6, i), at(6, i)]];
      for (const [a, b] of lines) { c.moveTo(a[0], a[1]); c.lineTo(b[0], b[1]); }
    }
    c.globalAlpha = 0.75;
    c.stroke();
    c.globalAlpha = 1;
  }

  bar(p, q, width, { colour, round }) {
    const { c } = this;
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
    const over = [(q[0] - p[0]) / length, (q[1] - p[1]) / length];  // pieces overlap by a pixel
    for (const [part, tone] of [[1, shade(colour, -0.35)], [0.72, colour], [0.28, shade(colour, 0.35)]]) {
      const lift = part < 0.5 ? 0.12 * width : 0;
      c.strokeStyle = c.fillStyle = tone;
      c.lineWidth = width * part;
      c.beginPath();
      c.moveTo(p[0] - over[0], p[1] - over[1] - lift);
      c.lineTo(q[0] + over[0], q[1] + over[1] - lift);
      c.stroke();
      [p, q].forEach((end, k) => {
        if (!round[k]) return;
        c.beginPath();
        c.arc(end[0], end[1] - lift, width * part / 2, 0, 7);
        c.fill();
      });
    }
  }
  ball(p, radius, colour) {
    const { c } = this;
    const r = Math.max(4, radius);
    const light = c.createRadialGradient(p[0] - 0.35 * r, p[1] - 0.35 * r, 0.1 * r, p[0], p[1], r);
    light.addColorStop(0, shade(colour, 0.55));
    light.addColorStop(0.6, colour);
    light.addColorStop(1, shade(colour, -0.35));
    c.fillStyle = light;
    c.beginPath();
    c.arc(p[0], p[1], r, 0, 7);
    c.fill();
  }
  face(points, fill, edge) {
    this.line(points, true);
    this.c.fillStyle = fill;
    this.c.fill();
    this.c.lineWidth = 1;
    this.c.lineJoin = 'round';
    this.c.strokeStyle = edge;
    this.c.stroke();
  }

  pin(p) {
    const { c } = this;
    c.fillStyle = paint.card;
    c.strokeStyle = paint.text;
    c.lineWidth = 1.5 * this.mark;
    c.beginPath();
    c.arc(p[0], p[1], 3.4 * this.mark, 0, 7);
    c.fill();
    c.stroke();
  }
  // What stands on the ground.
  support(p, joint) {
    const { c } = this;
    c.strokeStyle = c.fillStyle = paint.ground;
    c.lineWidth = 1.5;
    if (joint.kind === 'prismatic') {
      const to = vec.add(joint.p1, vec.times(0.15 * this.size, joint.along));
      const from = vec.sub(joint.p1, vec.times(0.15 * this.size, joint.along));
      this.line([this.camera.project(from), this.camera.project(to)]);
      return void c.stroke();
    }
    const s = this.mark;
    c.lineWidth = 1.5 * s;
    this.line([p, [p[0] - 8 * s, p[1] + 13 * s], [p[0] + 8 * s, p[1] + 13 * s]], true);
    c.globalAlpha = 0.35;
    c.fill();
    c.globalAlpha = 1;
    c.stroke();
    c.beginPath();
    for (let k = -2; k <= 2; ++k) { c.moveTo(p[0] + 5 * s * k, p[1] + 13 * s); c.lineTo(p[0] + 5 * s * k - 4 * s, p[1] + 18 * s); }
    c.stroke();
  }
  coil(p1, p2) {
    const { c } = this;
    const d = [p2[0] - p1[0], p2[1] - p1[1]];
    const length = Math.hypot(...d) || 1;
    const across = [-d[1] / length * 6, d[0] / length * 6];
    const points = [p1];
    for (let k = 1; k < 16; ++k) {
      const s = 0.1 + 0.8 * k / 16;
      const side = k === 1 || k === 15 ? 0 : k % 2 === 0 ? 1 : -1;
      points.push([p1[0] + s * d[0] + side * across[0], p1[1] + s * d[1] + side * across[1]]);
    }
    this.line([...points, p2]);
    c.strokeStyle = paint.soft;
    c.lineWidth = 1.6;
    c.stroke();
  }

  arrow(a, b) {
    const { c } = this;
    const d = [b[0] - a[0], b[1] - a[1]];
    const length = Math.hypot(...d);
    if (length < 2) return;
    const [u, v] = [d[0] / length, d[1] / length];
    const head = Math.min(10 * this.mark + 2, 0.6 * length);
    this.line([a, [b[0] - head * u, b[1] - head * v]]);
    c.stroke();
    this.line([b, [b[0] - head * u - 0.45 * head * v, b[1] - head * v + 0.45 * head * u],
      [b[0] - head * u + 0.45 * head * v, b[1] - head * v - 0.45 * head * u]], true);
    c.fill();
  }

  drawTriad(height) {
    const { c, camera } = this;
    const from = [34, height - 34];
    ['x', 'y', 'z'].forEach((name, i) => {
      const axis = [0, 1, 2].map((j) => (j === i ? 1 : 0));
      const to = [from[0] + 22 * vec.dot(axis, camera.right), from[1] - 22 * vec.dot(axis, camera.above)];
      c.strokeStyle = c.fillStyle = paint.soft;
      c.lineWidth = 1.5;
      this.line([from, to]);
      c.stroke();
      c.font = '11px system-ui, sans-serif';
      c.textAlign = 'center';
      c.fillText(name, from[0] + 31 * vec.dot(axis, camera.right), from[1] - 31 * vec.dot(axis, camera.above) + 4);
    });
  }
}
