model MattssonSoderlind5 "Every BDF step has a singular matrix as the model stands; one substitution makes it algebraic"
  // Provenance: Mattsson, Söderlind 1991, Example 5, (4.6), after Brenan, Campbell, Petzold 1989, p. 23:
  //   x' + t y' = f1,   x + t y = f2,   whose solution is y = f2' - f1,   x = f2 - t y.
  // The functions are ours: f2 = sin 2t and f1 = f2' - cos 3t, so that y = cos 3t.
  Real x, y;
equation
  der(x) + time*der(y) = 2*cos(2*time) - cos(3*time);
  x + time*y = sin(2*time);
  annotation(experiment(StartTime = 0.5, StopTime = 5, Tolerance = 1e-9));
end MattssonSoderlind5;
