#include "structure/signatures.hpp"

#include <algorithm>
#include <numeric>

namespace daedalus::testing {

Signature make_pattern(int variables, const std::vector<std::vector<int>>& rows) {
  Signature signature;
  signature.variables = variables;
  std::vector<SignatureEntry> entries;
  for (const auto& row : rows) {
    entries.clear();
    for (const int variable : row) entries.push_back({variable, 0});
    signature.add_row(entries);
  }
  return signature;
}

Signature shuffled(const Signature& signature, std::mt19937& random) {
  std::vector<int> rows(static_cast<std::size_t>(signature.equations()));
  std::vector<int> new_number(static_cast<std::size_t>(signature.variables));
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(new_number.begin(), new_number.end(), 0);
  std::ranges::shuffle(rows, random);
  std::ranges::shuffle(new_number, random);
  Signature result;
  result.variables = signature.variables;
  std::vector<SignatureEntry> entries;
  for (const int row : rows) {
    const auto old = signature.row(row);
    entries.assign(old.begin(), old.end());
    for (SignatureEntry& entry : entries) entry.variable = new_number[entry.variable];
    std::ranges::shuffle(entries, random);
    result.add_row(entries);
  }
  return result;
}

Signature rod_chain(int n) {
  enum { X, Y, Vx, Vy, Lambda, PerMass };
  const auto variable = [](int kind, int i) { return PerMass * i + kind; };
  Signature signature;
  signature.variables = PerMass * n;
  std::vector<SignatureEntry> row;
  const auto add_if_mass = [&](int kind, int i) {
    if (i >= 0 && i < n) row.push_back({variable(kind, i), 0});
  };
  for (int i = 0; i < n; ++i) {
    for (const int axis : {0, 1}) {
      row = {{variable(X + axis, i), 1}, {variable(Vx + axis, i), 0}};
      signature.add_row(row);
    }
    for (const int axis : {0, 1}) {
      row = {{variable(Vx + axis, i), 1}};
      for (const int offset : {-2, -1, 0, 1, 2}) add_if_mass(X + axis, i + offset);
      add_if_mass(Lambda, i);
      add_if_mass(Lambda, i + 1);
      signature.add_row(row);
    }
    row.clear();
    for (const int neighbour : {i - 1, i}) {
      add_if_mass(X, neighbour);
      add_if_mass(Y, neighbour);
    }
    signature.add_row(row);
  }
  return signature;
}

Signature rod_net(int side) {
  const int masses = side * side;
  const auto mass = [&](int i, int j) { return side * i + j; };
  std::vector<std::pair<int, int>> rods;
  std::vector<std::vector<int>> rods_of(static_cast<std::size_t>(masses));
  const auto add_rod = [&](int a, int b) {
    const int rod = static_cast<int>(rods.size());
    rods.emplace_back(a, b);
    rods_of[a].push_back(rod);
    rods_of[b].push_back(rod);
  };
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (i + 1 < side) add_rod(mass(i, j), mass(i + 1, j));
      if (j + 1 < side) add_rod(mass(i, j), mass(i, j + 1));
    }
  }
  Signature signature;
  signature.variables = 3 * masses + static_cast<int>(rods.size());
  std::vector<SignatureEntry> row;
  for (int m = 0; m < masses; ++m) {
    for (int axis = 0; axis < 3; ++axis) {
      row = {{3 * m + axis, 2}};
      for (const int rod : rods_of[m]) {
        const int other = rods[rod].first == m ? rods[rod].second : rods[rod].first;
        row.push_back({3 * other + axis, 0});
        row.push_back({3 * masses + rod, 0});
      }
      signature.add_row(row);
    }
  }
  for (const auto& [a, b] : rods) {
    row.clear();
    for (int axis = 0; axis < 3; ++axis) row.insert(row.end(), {{3 * a + axis, 0}, {3 * b + axis, 0}});
    signature.add_row(row);
  }
  return signature;
}

Signature pendulum_chain(int pendula) {
  Signature signature;
  signature.variables = 3 * pendula;
  std::vector<SignatureEntry> row;
  for (int p = 0; p < pendula; ++p) {
    const int x = 3 * p;
    const int y = x + 1;
    const int lambda = x + 2;
    row = {{x, 2}, {lambda, 0}};
    signature.add_row(row);
    row = {{y, 2}, {lambda, 0}};
    signature.add_row(row);
    row = {{x, 0}, {y, 0}};
    if (p > 0) row.push_back({lambda - 3, 0});
    signature.add_row(row);
  }
  return signature;
}

Signature derivative_chain(int n) {
  Signature signature;
  signature.variables = n;
  std::vector<SignatureEntry> row{{0, 0}};
  signature.add_row(row);
  for (int i = 1; i < n; ++i) {
    row = {{i, 0}, {i - 1, 1}};
    signature.add_row(row);
  }
  return signature;
}

Signature algebraic_grid(int side) {
  Signature signature;
  signature.variables = side * side;
  std::vector<SignatureEntry> row;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      row.clear();
      const auto add = [&](int k, int l) {
        if (k >= 0 && k < side && l >= 0 && l < side) row.push_back({side * k + l, 0});
      };
      add(i - 1, j);
      add(i, j - 1);
      add(i, j);
      add(i, j + 1);
      add(i + 1, j);
      signature.add_row(row);
    }
  }
  return signature;
}

Signature staircase_of_chains(int n) {
  Signature signature;
  signature.variables = n * (n + 1) / 2;
  std::vector<SignatureEntry> row;
  int first = 0;
  for (int length = 1; length <= n; ++length) {
    // x_1 stands first in the second row, x_2 in the third, …; the row of x_1 alone comes last.
    for (int i = 1; i < length; ++i) {
      row = {{first + i - 1, 0}, {first + i, 0}};
      signature.add_row(row);
    }
    row = {{first, 0}};
    signature.add_row(row);
    first += length;
  }
  return signature;
}

Signature random_signature(int n, double entries_per_row, int max_order, std::mt19937& random) {
  std::bernoulli_distribution occurs(std::min(1.0, entries_per_row / n));
  std::uniform_int_distribution<int> order(0, max_order);
  Signature signature;
  signature.variables = n;
  std::vector<SignatureEntry> row;
  for (int i = 0; i < n; ++i) {
    row.clear();
    for (int j = 0; j < n; ++j) {
      if (occurs(random)) row.push_back({j, order(random)});
    }
    signature.add_row(row);
  }
  return signature;
}

}  // namespace daedalus::testing
