// Shapes of bodies: how each is added to the parts of a scene. One row an outline.
const hullOf = (points) => {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = [out[out.length - 2], out[out.length - 1]];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(p);
    }
    out.pop();
    return out;
  };
  return [...half(sorted), ...half(sorted.reverse())];
};

const ring = (count, place) => Array.from({ length: count }, (_, k) => place(2 * Math.PI * k / count));

const addSolid = {
  sphere(scene, parts, { solid, toWorld, colour }) {
    const p = scene.camera.project(toWorld([0, 0, 0]));
    parts.push({ depth: p[2], draw: () => scene.ball(p, solid.half[0] * p[3], colour) });
  },
  capsule(scene, parts, { solid, toWorld, colour }) {
    const ends = [-1, 1].map((side) => scene.camera.project(toWorld([0, 0, side * solid.half[2]])));
    scene.addBar(parts, ends[0], ends[1], solid.half[0], colour);
  },
  cylinder(scene, parts, { solid, toWorld, colour }) {
    const [rx, ry, h] = solid.half;
    const cap = (side) => ring(36, (a) => scene.camera.project(toWorld([rx * Math.cos(a), ry * Math.sin(a), side * h])));
    const middle = scene.camera.project(toWorld([0, 0, 0]));
    parts.push({ depth: middle[2], draw: () => {
      const centres = [-1, 1].map((side) => scene.camera.project(toWorld([0, 0, side * h])));
      const front = centres[0][2] < centres[1][2] ? -1 : 1;
      const near = cap(front);
      scene.face(hullOf([...near, ...cap(-front)]), shade(colour, -0.25), shade(colour, -0.5));
      scene.face(near, shade(colour, 0.2), shade(colour, -0.4));
      // A line to the rim shows how it turns.
      scene.line([scene.camera.project(toWorld([0, 0, front * h])), scene.camera.project(toWorld([rx, 0, front * h]))]);
      scene.c.stroke();
    } });
  },
  ellipsoid(scene, parts, { solid, toWorld, colour }) {
    const [a, b, h] = solid.half;
    const middle = scene.camera.project(toWorld([0, 0, 0]));
    parts.push({ depth: middle[2], draw: () => {
      const project = (p) => scene.camera.project(toWorld(p));
      const rings = [0, 0.45, 0.8].flatMap((s) => [1, -1].flatMap((side) => ring(28, (u) =>
        project([a * Math.sqrt(1 - s * s) * Math.cos(u), b * Math.sqrt(1 - s * s) * Math.sin(u), side * s * h]))));
      scene.face(hullOf([...rings, project([0, 0, h]), project([0, 0, -h])]), colour, shade(colour, -0.4));
      scene.line(ring(28, (u) => project([a * Math.cos(u), b * Math.sin(u), 0])), true);
      scene.c.stroke();
    } });
  },
  box(scene, parts, { solid, toWorld, colour }) {
    const [a, b, h] = solid.half;
    const middle = scene.camera.project(toWorld([0, 0, 0]));
    parts.push({ depth: middle[2], draw: () => {
      for (let axis = 0; axis < 3; ++axis) {
        for (const side of [-1, 1]) {
          const corner = (u, v) => {
            const p = [0, 0, 0];
            p[axis] = side;
            p[(axis + 1) % 3] = u;
            p[(axis + 2) % 3] = v;
            return toWorld([a * p[0], b * p[1], h * p[2]]);
          };
          const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].map((p) => scene.camera.project(p));
          const [p, q, r] = corners;
          const seen = ((q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0])) * side;
          if (seen >= 0) continue;
          scene.face(corners, shade(colour, [0, -0.18, 0.22][axis]), shade(colour, -0.45));
        }
      }
    } });
  },
};
