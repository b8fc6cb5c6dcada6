model HeatRod "method of lines with matrices"
  parameter Integer n = 10;
  parameter Real k = 1, dz = 1/(n + 1);
  parameter Real A[n, n] = k/dz^2*(diagonal(fill(-2, n)) + {{if abs(i - j) == 1 then 1 else 0 for j in 1:n} for i in 1:n});
  Real T[n](each start = 0, each fixed = true) "inner nodes";
  Real left, right, mean, ends[2];
equation
  der(T) = A*T + k/dz^2*cat(1, {left}, zeros(n - 2), {right});
  left = 1;
  right = if noEvent(time < 0.1) then time/0.1 else 1;
  mean = sum(T)/size(T, 1);
  ends = {T[1], T[end]};
end HeatRod;
