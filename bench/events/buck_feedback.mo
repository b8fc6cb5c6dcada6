model BuckFeedback "Buck converter with an ideal diode, whose switch compares the controller with a ramp"
  parameter Real Vin = 12, L = 2e-5, C = 1e-4, R = 10;
  parameter Real f = 1e5 "switching frequency", Vref = 5;
  parameter Real kp = 0.02, ki = 40;
  parameter Real Ron = 1e-3, Goff = 1e-6;
  Real i(start = 0, fixed = true) "through the inductor";
  Real v(start = 0, fixed = true) "across the capacitor";
  Real e(start = 0, fixed = true) "integral of the error";
  Real vs "of the switched node";
  Real iswitch, idiode;
  Real s "of the diode: its current where it conducts, its voltage where it does not";
  Real u "controller";
  Real ramp;
  discrete Real begin(start = 0, fixed = true) "of the period";
  Boolean on, diode;
equation
  when sample(0, 1/f) then
    begin = time;
  end when;
  ramp = (time - begin)*f;
  der(e) = Vref - v;
  u = kp*(Vref - v) + ki*e;
  on = u > ramp;
  iswitch = (if on then 1/Ron else Goff)*(Vin - vs);
  diode = s > 0;
  idiode = s*(if diode then 1 else Goff);
  -vs = s*(if diode then Ron else 1);
  iswitch + idiode = i;
  L*der(i) = vs - v;
  C*der(v) = i - v/R;
  annotation(experiment(StopTime = 0.0333, Tolerance = 1e-6));
end BuckFeedback;
