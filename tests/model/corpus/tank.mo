model Tank "two-point control with hysteresis and a clocked sensor"
  type Mode = enumeration(filling "valve open", draining "valve closed");
  parameter Real high = 0.9, low = 0.3, area = 1;
  Mode mode(start = Mode.filling);
  Real level(start = 0.5, fixed = true), inflow, outflow;
  discrete Real sensed;
  Real average;
initial equation
  average = level;
  sensed = level;
algorithm
  when sample(0, 0.05) then
    sensed := level;
  end when;
  if pre(mode) == Mode.filling and sensed > high then
    mode := Mode.draining;
  elseif pre(mode) == Mode.draining and sensed < low then
    mode := Mode.filling;
  else
    mode := pre(mode);
  end if;
equation
  inflow = if mode == Mode.filling then 0.5 else 0;
  outflow = 0.2*sqrt(max(level, 0));
  area*der(level) = inflow - outflow;
  der(average) = level - average;
end Tank;
