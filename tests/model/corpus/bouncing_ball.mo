model BouncingBall "events: a ball that comes to rest"
  parameter Real e(min = 0, max = 1) = 0.8 "restitution";
  parameter Real g = 9.81;
  Real h(start = 1.0, fixed = true), v(start = 0.0, fixed = true);
  Boolean flying(start = true, fixed = true);
  Boolean impact;
  Integer bounces(start = 0, fixed = true);
  discrete Real v_new(start = 0);
equation
  impact = h <= 0.0;
  der(h) = v;
  der(v) = if flying then -g else 0;
  when {impact, h <= 0.0 and v <= 0.0} then
    v_new = if edge(impact) then -e*pre(v) else 0;
    flying = v_new > 0;
    bounces = pre(bounces) + 1;
    reinit(v, v_new);
  end when;
  when time >= 5 then
    terminate("long enough");
  end when;
  assert(h > -0.01, "the ball fell through the floor: h = " + String(h));
end BouncingBall;
