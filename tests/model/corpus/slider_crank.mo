model SliderCrank "closed loop: crank, rod, slider"
  record Body
    Real m = 1, J = 0.1;
    Real r[2] "centre of mass";
    Real phi;
  end Body;
  parameter Real L1 = 0.3, L2 = 1.0;
  Body crank(m = 2, phi(start = 0.5, fixed = true)), rod(J = 0.2);
  Real s(start = 1.2), w(start = 10, fixed = true);
  Real c[2] "loop closure";
equation
  der(crank.phi) = w;
  crank.r = L1/2*{cos(crank.phi), sin(crank.phi)};
  rod.r = L1*{cos(crank.phi), sin(crank.phi)} + L2/2*{cos(rod.phi), sin(rod.phi)};
  c = {L1*cos(crank.phi) + L2*cos(rod.phi) - s, L1*sin(crank.phi) + L2*sin(rod.phi)};
  c = {0, 0};
  crank.J*der(w) = -0.1*w;
end SliderCrank;
