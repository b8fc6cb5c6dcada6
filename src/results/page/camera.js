// Vectors, and how a place in space becomes a place on the canvas.
const vec = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  times: (s, a) => [s * a[0], s * a[1], s * a[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  size: (a) => Math.hypot(a[0], a[1], a[2]),
  unit: (a) => { const n = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / n, a[1] / n, a[2] / n]; },
};

// The matrix of a quaternion, by columns.
const axesOf = ([w, x, y, z]) => [
  [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
  [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
  [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
];
const turned = (axes, v) => [
  axes[0][0] * v[0] + axes[1][0] * v[1] + axes[2][0] * v[2],
  axes[0][1] * v[0] + axes[1][1] * v[1] + axes[2][1] * v[2],
  axes[0][2] * v[0] + axes[1][2] * v[1] + axes[2][2] * v[2],
];

// Looks at `target` from azimuth and height around the axis `up`; flat: without perspective.
class Camera {
  constructor(up) {
    this.up = vec.unit(up);
    // Azimuth 0 looks along the world's y axis, so that x is to the right, unless up itself is y: then along -z.
    const ahead = Math.abs(this.up[1]) > 0.9 ? [0, 0, -1] : [0, 1, 0];
    this.right0 = vec.unit(vec.cross(ahead, this.up));
    this.ahead0 = vec.cross(this.up, this.right0);
    this.target = [0, 0, 0];
    this.home = { azimuth: 0, height: 0, flat: true };
    this.reach = 1;
    this.reset();
  }

  reset() {
    Object.assign(this, this.home);
    this.zoom = 1;
    this.shift = [0, 0];
  }

  prepare(width, height, fit) {
    const [ca, sa, ch, sh] = [Math.cos(this.azimuth), Math.sin(this.azimuth), Math.cos(this.height), Math.sin(this.height)];
    const level = vec.add(vec.times(ca, this.ahead0), vec.times(sa, this.right0));
    this.right = vec.sub(vec.times(ca, this.right0), vec.times(sa, this.ahead0));
    this.ahead = vec.sub(vec.times(ch, level), vec.times(sh, this.up));
    this.above = vec.add(vec.times(ch, this.up), vec.times(sh, level));
    this.distance = 3.2 * this.reach;
    this.scale = fit * this.zoom;
    this.centre = [width / 2 + this.shift[0], height / 2 + this.shift[1]];
  }

  // [x, y, depth, pixels a metre]; depth grows away from the eye.
  project(p) {
    const d = vec.sub(p, this.target);
    const depth = vec.dot(d, this.ahead);
    const near = this.flat ? 1 : this.distance / Math.max(0.05 * this.distance, this.distance + depth);
    const scale = this.scale * near;
    return [this.centre[0] + scale * vec.dot(d, this.right), this.centre[1] - scale * vec.dot(d, this.above), depth, scale];
  }
}
