within A.B;
model Ball
  Real h(start = 1), v; Boolean up; Integer n(start = 0); discrete Real t;
initial algorithm
  n := 0;
equation
  der(h) = v; der(v) = if up then 0 elseif h < 0 then 1 else -9.81;
  when {h <= 0 and v < 0, initial()} then
    reinit(v, -0.8 * pre(v)); n = pre(n) + 1;
  elsewhen sample(0, 0.1) then
    t = time; terminate("end");
  end when;
  if n > 3 then up = true; elseif not up then up = false; else up = edge(up) or change(n); end if;
  assert(h > -1e-3, "fell through" + String(h), AssertionLevel.warning);
algorithm
  while n > 0 loop n := n - 1; if n == 2 then break; end if; end while;
  (a, , b) := f(x, k = 2); return;
end Ball;
