model Reactor "stiff kinetics, written as they stand in a book"
  Real c[3](start = {1, 0, 0}, nominal = {1, 1e-5, 1});
  Real total = c[1] + c[2] + c[3];
  function rate
    input Real c[3];
    output Real r[3];
  algorithm
    r := {0.04*c[1], 1e4*c[2]*c[3], 3e7*c[2]^2};
  end rate;
  Real r[3] = rate(c);
equation
  der(c[1]) = -r[1] + r[2];
  der(c[2]) = r[1] - r[2] - r[3];
  0 = c[1] + c[2] + c[3] - 1;
end Reactor;
