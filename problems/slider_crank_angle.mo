model SliderCrankAngle "The slider crank with equal links in the crank's angle: no constraint, no singular point"
  // On the branch theta2 = pi - theta1 of slider_crank.mo there is one degree of freedom, q = theta1. Its kinetic energy is
  // (3/2 + cos 2q) q'^2 and its potential energy -9.8 cos q; Lagrange's equation of the second kind is below. The motion
  // with which runs of the constrained models are compared.
  parameter Real theta0 = 0.7853981633974483;
  parameter Real omega0 = 0;
  Real q(start = theta0, fixed = true), w(start = omega0, fixed = true);
equation
  der(q) = w;
  (3 + 2*cos(2*q))*der(w) = 2*sin(2*q)*w^2 - 9.8*sin(q);
  annotation(experiment(StopTime = 10, Tolerance = 1e-10));
end SliderCrankAngle;
