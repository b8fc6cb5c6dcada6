model RodChain "n masses on rods, the first rod hangs from the origin"
  parameter Integer n(min = 1) = 100;
  parameter Real m = 1/n, L = 1/n, g = 9.81, d = 0.01 "damping";
  Real[n] x(start = {i*L for i in 1:n}), y(each start = 0);
  Real[n] u, v, f;
protected
  Real dx[n], dy[n];
equation
  dx[1] = x[1];
  dy[1] = y[1];
  for i in 2:n loop
    dx[i] = x[i] - x[i - 1];
    dy[i] = y[i] - y[i - 1];
  end for;
  der(x) = u;
  der(y) = v;
  for i in 1:n loop
    m*der(u[i]) = -f[i]*dx[i] + (if i < n then f[min(i + 1, n)]*dx[min(i + 1, n)] else 0) - d*u[i];
    m*der(v[i]) = -f[i]*dy[i] + (if i < n then f[min(i + 1, n)]*dy[min(i + 1, n)] else 0) - d*v[i] - m*g;
    dx[i]^2 + dy[i]^2 = L^2;
  end for;
end RodChain;
