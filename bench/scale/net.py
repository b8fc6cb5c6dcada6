"""A planar net as model text: n rows of n point masses, rods to the neighbours beside and above, the first row on fixed pins."""


def net(n, until):
    """It starts at rest with slanted columns. Each row can only move as a whole, on the arcs of its rods: n degrees of
    freedom, with (n - 1) n loops closed by rods; the multipliers are forces over lengths."""
    return f"""model Net "{n} x {n} point masses and rods in a plane, position level: index 3"
  constant Integer n = {n};
  parameter Real g = 9.81, slant = 0.3;
  Real x[n, n](start = {{{{j + i*sin(slant) for j in 1:n}} for i in 1:n}}), y[n, n](start = {{{{-i*cos(slant) for j in 1:n}} for i in 1:n}});
  Real vx[n, n](each start = 0), vy[n, n](each start = 0);
  Real up[n, n] "rods to the row above", side[n, n - 1] "rods to the right";
equation
  for i in 1:n loop
    for j in 1:n loop
      der(x[i, j]) = vx[i, j];
      der(y[i, j]) = vy[i, j];
      der(vx[i, j]) = -up[i, j]*(if i > 1 then x[i, j] - x[i - 1, j] else x[i, j] - j)
        + (if i < n then up[i + 1, j]*(x[i + 1, j] - x[i, j]) else 0)
        - (if j > 1 then side[i, j - 1]*(x[i, j] - x[i, j - 1]) else 0)
        + (if j < n then side[i, j]*(x[i, j + 1] - x[i, j]) else 0);
      der(vy[i, j]) = -g - up[i, j]*(if i > 1 then y[i, j] - y[i - 1, j] else y[i, j])
        + (if i < n then up[i + 1, j]*(y[i + 1, j] - y[i, j]) else 0)
        - (if j > 1 then side[i, j - 1]*(y[i, j] - y[i, j - 1]) else 0)
        + (if j < n then side[i, j]*(y[i, j + 1] - y[i, j]) else 0);
      (if i > 1 then (x[i, j] - x[i - 1, j])^2 + (y[i, j] - y[i - 1, j])^2 else (x[i, j] - j)^2 + y[i, j]^2) = 1;
    end for;
    for j in 1:n - 1 loop
      (x[i, j + 1] - x[i, j])^2 + (y[i, j + 1] - y[i, j])^2 = 1;
    end for;
  end for;
  annotation(experiment(StopTime = {until:g}, Tolerance = 1e-6));
end Net;
"""
