within;
model DoublePendulum "two rods, the second hangs on the first"
  parameter Real m[2] = {1, 0.5}, L[2] = {1, 0.8};
  parameter Real g = 9.81;
  Real x[2](start = {1, 1.8}, each fixed = true);
  Real y[2](each start = 0);
  Real vx[2], vy[2];
  Real lambda[2];
  Real energy = sum(0.5*m[i]*(vx[i]^2 + vy[i]^2) + m[i]*g*y[i] for i in 1:2);
equation
  for i in 1:2 loop
    der(x[i]) = vx[i];
    der(y[i]) = vy[i];
  end for;
  m[1]*der(vx[1]) = -lambda[1]*x[1] + lambda[2]*(x[2] - x[1]);
  m[1]*der(vy[1]) = -lambda[1]*y[1] + lambda[2]*(y[2] - y[1]) - m[1]*g;
  m[2]*der(vx[2]) = -lambda[2]*(x[2] - x[1]);
  m[2]*der(vy[2]) = -lambda[2]*(y[2] - y[1]) - m[2]*g;
  x[1]^2 + y[1]^2 = L[1]^2;
  (x[2] - x[1])^2 + (y[2] - y[1])^2 = L[2]^2;
end DoublePendulum;
