model FourBar "A crank drives a rocker through a coupler whose point P draws a curve: index 3, loops closed at position level"
  parameter Real a = 0.1 "crank", b = 0.35 "coupler", c = 0.25 "rocker", d = 0.3 "ground";
  parameter Real p = 0.2 "P along the coupler", q = 0.1 "and beside it";
  parameter Real m = 1 "mass of a metre of link", tau = 0.2 "torque of the motor", k = 0.02 "its damping";
  Real phi(start = 0.5, fixed = true), theta(start = 0.57), psi(start = 1.23) "angles of crank, coupler, rocker";
  Real w(start = 8, fixed = true), wt, wr, lambda[2];
  output Real X = a*cos(phi) + p*cos(theta) - q*sin(theta), Y = a*sin(phi) + p*sin(theta) + q*cos(theta);
equation
  der(phi) = w;  der(theta) = wt;  der(psi) = wr;
  (m*a^3/3 + m*b*a^2)*der(w) + 0.5*m*a*b^2*(cos(phi - theta)*der(wt) + sin(phi - theta)*wt^2)
    = tau - k*w + a*sin(phi)*lambda[1] - a*cos(phi)*lambda[2];
  m*b^3/3*der(wt) + 0.5*m*a*b^2*(cos(phi - theta)*der(w) - sin(phi - theta)*w^2)
    = b*sin(theta)*lambda[1] - b*cos(theta)*lambda[2];
  m*c^3/3*der(wr) = -c*sin(psi)*lambda[1] + c*cos(psi)*lambda[2];
  a*cos(phi) + b*cos(theta) = d + c*cos(psi);
  a*sin(phi) + b*sin(theta) = c*sin(psi);
  annotation(experiment(StopTime = 1, Tolerance = 1e-7));
end FourBar;
