model SpatialFourBar "A spatial four-bar linkage (RSSR) in Cartesian coordinates: index 3, one degree of freedom"
  // Crank and rocker turn about two axes that are neither parallel nor meet; a rod with a ball joint at each end
  // couples them. The masses are at the ball joints A and B. Six coordinates and five constraints: A and B each keep
  // their distance from a fixed point and stay in the plane of their turning, and the rod keeps its length.
  // The crank can turn all the way round without meeting a singular position (the rocker stays between 75 and 129
  // degrees below its plane's horizontal), and does so from these initial values.
  // Provenance: the mechanism is in textbooks; dimensions and equations written for this project.
  parameter Real ma = 1, mb = 1, g = 9.81;
  parameter Real ra = 1 "crank", rb = 2 "rocker", rod = sqrt(10), distance = 3 "of the fixed points, along x";
  parameter Real alpha = 0.5235987755982988 "between the crank's plane and the plane of x and y";
  parameter Real beta = 0.3490658503988659 "between the rocker's plane and the plane of x and z";
  parameter Real omega = 3 "initial speed of the crank";
  Real xa(start = -1), ya(start = 0, fixed = true), za(start = 0);
  Real xb(start = 1.75), yb(start = 0.53), zb(start = -1.47);
  Real ua(start = 0), va(start = -omega*cos(alpha), fixed = true), wa(start = -omega*sin(alpha));
  Real ub, vb, wb;
  Real lambda[5];
  Real energy "constant";
equation
  der(xa) = ua;
  der(ya) = va;
  der(za) = wa;
  der(xb) = ub;
  der(yb) = vb;
  der(zb) = wb;
  ma*der(ua) = -2*xa*lambda[1] - 2*(xa - xb)*lambda[5];
  ma*der(va) = -2*ya*lambda[1] + sin(alpha)*lambda[2] - 2*(ya - yb)*lambda[5];
  ma*der(wa) = -ma*g - 2*za*lambda[1] - cos(alpha)*lambda[2] - 2*(za - zb)*lambda[5];
  mb*der(ub) = -2*(xb - distance)*lambda[3] + 2*(xa - xb)*lambda[5];
  mb*der(vb) = -2*yb*lambda[3] - cos(beta)*lambda[4] + 2*(ya - yb)*lambda[5];
  mb*der(wb) = -mb*g - 2*zb*lambda[3] - sin(beta)*lambda[4] + 2*(za - zb)*lambda[5];
  xa^2 + ya^2 + za^2 = ra^2;
  cos(alpha)*za - sin(alpha)*ya = 0;
  (xb - distance)^2 + yb^2 + zb^2 = rb^2;
  cos(beta)*yb + sin(beta)*zb = 0;
  (xa - xb)^2 + (ya - yb)^2 + (za - zb)^2 = rod^2;
  energy = ma/2*(ua^2 + va^2 + wa^2) + mb/2*(ub^2 + vb^2 + wb^2) + g*(ma*za + mb*zb);
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end SpatialFourBar;
