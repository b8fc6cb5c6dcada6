model Arrays
  parameter Integer n = 3;
  Real[2] x[n, :](each start = 1, final fixed = true);
  Real A[n, n] = [1, 2, 3; 4, 5, 6; 7, 8, 9], v[n] = {i^2 for i in 1:n};
  protected Real s = sum(A[i, j] for i in 1:n, j in 1:2:n) if n > 2;
equation
  for i in 1:n - 1, j loop x[i + 1, end] = A[:, i] .* v ./ (v .+ 1) .^ 2 .- v; end for;
  x[{1, 3}].y[end - 1] = -A * v - (+s) * 2^(-1);
  (p, q) = g({}, [x], ((1)), function h(a = 1));
end Arrays;
