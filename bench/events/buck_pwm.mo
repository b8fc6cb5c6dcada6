model BuckPwm "Synchronous buck converter, 10,000 switching instants by time"
  parameter Real Vin = 12, L = 1e-4, C = 1e-4, R = 2;
  parameter Real f = 1e5 "switching frequency", D = 0.4 "duty";
  Real i(start = 0, fixed = true, nominal = 1) "through the inductor";
  Real v(start = 0, fixed = true, nominal = 1) "across the capacitor";
  Real vs "of the switched node";
  Boolean on(start = true, fixed = true);
  discrete Real off(start = 0, fixed = true) "when this period's pulse ends";
equation
  when sample(0, 1/f) then
    off = time + D/f;
  end when;
  on = time < off;
  vs = if on then Vin else 0;
  L*der(i) = vs - v;
  C*der(v) = i - v/R;
  annotation(experiment(StopTime = 0.05, Tolerance = 1e-6));
end BuckPwm;
