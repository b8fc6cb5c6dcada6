model PendulumAngle "Pendulum in its angle: the state-space form that the other forms are compared with"
  // Provenance: Mattsson, Söderlind 1991, §5, (5.1): model a of Tables 1 and 2, with g = L = 1.
  parameter Real phi0 = 0.1 "0.1: case 1; pi/2: case 2";
  parameter Real omega0 = 0 "0: case 1; -1: case 2";
  Real phi(start = phi0, fixed = true), omega(start = omega0, fixed = true);
equation
  der(phi) = omega;
  der(omega) = -sin(phi);
  annotation(experiment(StopTime = 1000, Tolerance = 1e-9));
end PendulumAngle;
