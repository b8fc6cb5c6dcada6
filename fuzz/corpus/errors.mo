model A
  Real x(start = ;
  Real y
  import B.C; extends D; inner outer replaceable Real z constrainedby E;
equation
  x := 1 y = 2;
  if x = 1 then x == 2;
  for i = 1:2 loop end if;
  connect(a, b);
  2x = .5 + 1e + 1e999 + "\q" + 'a;
