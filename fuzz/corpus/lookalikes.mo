model A equation x != y && z || w ** 2 − 1 × 2 ≤ 3; y = “a”; z = a % b # c $ d; end B;
