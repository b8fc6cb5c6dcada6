block Oscillator "input, output, conditional and protected parts; comments everywhere"
  input Real u /* the force */ = 0;
  output Real y; // the answer
  parameter Boolean damped = true;
  parameter Real d(unit = "N.s/m") = 0.1 if damped "only when damped" annotation(Evaluate = true);
protected
  Real v "hidden";
public
  Real 'two words'(start = 1) = y + v;
initial equation
  y = 1;
  der(y) = 0;
equation
  der(y) = v /* no semicolon in the comment; */;
  // x = 1;
  der(v) = -y - (if damped then d else 0)*v + u;
  annotation();
end Oscillator;
