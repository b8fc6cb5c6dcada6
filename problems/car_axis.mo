model CarAxis "Car axis on a bumpy road at position level: index 3, driven, two mechanical degrees of freedom"
  // Provenance: Schneider, ENSAM; Test Set for IVP Solvers (CWI, Bari), "Car axis problem". Written here from
  // its equations; the constraints depend on time.
  parameter Real L = 1, L0 = 0.5, eps = 1e-2, M = 10, h = 0.1, w = 10, g = 1;
  parameter Real k = eps^2*M/2 "mass in the scaled equations";
  Real xl(start = 0, fixed = true), yl(start = 0.5), xr(start = 1), yr(start = 0.5, fixed = true);
  Real vxl(start = -0.5, fixed = true), vyl(start = 0), vxr(start = -0.5), vyr(start = 0, fixed = true);
  Real lambda1(start = 0), lambda2(start = 0);
  Real xb "road, right wheel", yb, Ll, Lr;
equation
  yb = h*sin(w*time);
  xb = sqrt(L^2 - yb^2);
  Ll = sqrt(xl^2 + yl^2);
  Lr = sqrt((xr - xb)^2 + (yr - yb)^2);
  der(xl) = vxl;
  der(yl) = vyl;
  der(xr) = vxr;
  der(yr) = vyr;
  k*der(vxl) = (L0 - Ll)*xl/Ll + lambda1*xb + 2*lambda2*(xl - xr);
  k*der(vyl) = (L0 - Ll)*yl/Ll + lambda1*yb + 2*lambda2*(yl - yr) - k*g;
  k*der(vxr) = (L0 - Lr)*(xr - xb)/Lr - 2*lambda2*(xl - xr);
  k*der(vyr) = (L0 - Lr)*(yr - yb)/Lr - 2*lambda2*(yl - yr) - k*g;
  0 = xl*xb + yl*yb;
  0 = (xl - xr)^2 + (yl - yr)^2 - L^2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end CarAxis;
