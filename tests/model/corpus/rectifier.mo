// A half-wave rectifier with a smooth diode and a capacitor in a loop of voltages.
type Voltage = Real(final unit = "V", quantity = "ElectricPotential");
type Current = Real(final unit = "A");

function diode "exponential law with a linear tail"
  input Voltage v;
  input Real Is = 1e-9, Vt = 0.026;
  output Current i;
protected
  Real z = v/Vt;
algorithm
  if z > 40 then
    i := Is*(exp(40)*(1 + z - 40) - 1);
  else
    i := Is*(exp(z) - 1);
  end if;
  annotation(Inline = true, derivative = diode_d, smoothOrder = 1);
end diode;

model Rectifier
  parameter Real R(unit = "Ohm") = 100, C(unit = "F") = 1e-4, f(unit = "Hz") = 50;
  constant Real pi = 3.14159265358979;
  Voltage vs, vd, vc(start = 0, fixed = true);
  Current id, ic, ir;
equation
  vs = 10*sin(2*pi*f*time);
  vs = vd + vc;
  id = diode(vd, Is = 2e-9);
  ic = C*der(vc);
  vc = R*ir;
  id = ic + ir;
  annotation(experiment(StopTime = 0.1), Documentation(info = "<html>
<p>The capacitor is charged at the peaks.</p>
</html>"));
end Rectifier;
