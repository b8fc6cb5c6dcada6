model Large "each expansion would be millions of elements"
  parameter Real a[3000, 1500] = {{i*j for j in 1:1500} for i in 1:3000};
  parameter Real b[2000, 2000] = ones(2000, 2000)*ones(2000, 2000)^900;
  parameter Real c = sum(sum(k*l for k in 1:i) for i in 1:30000, l in 1:30000);
  Real x[1000, 1000], y;
equation
  for i in 1:1000, j in 1:1000 loop
    x[i, j] = sum(x) + i*j*time;
  end for;
  y = sum(fill(fill(time, 2000), 2000, 2000));
end Large;
