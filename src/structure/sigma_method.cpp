// J. D. Pryce, "A simple structural analysis method for DAEs", BIT 41 (2001).
#include <functional>
#include <queue>
#include <utility>

#include "structure/assignment.hpp"
#include "structure/plan.hpp"

namespace daedalus {
namespace {

// The canonical offsets are the least fixed point of
//   d_j = max_i (σ_ij + c_i),   c_i = d_j - σ_ij for the (i, j) of the transversal,   c ≥ 0
// that is, c_i = the longest path to equation i, where entry (k, j) leads from k to
// the equation i of variable j with length σ_kj - σ_ij. The duals turn this into shortest paths: the length
// is u_i - u_k - s_kj with slack s_kj ≥ 0, so c_i = u_i - D_i with D_i = min_k (u_k + the least sum of slacks
// from k to i). That is Dijkstra's problem with start values u_k, and near-linear where the iteration may
// need n sweeps.
std::vector<int> smallest_offsets(const Signature& signature, Transversal& transversal) {
  using Waiting = std::pair<int, int>;  // distance, equation
  std::vector<int> distance = transversal.u;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> heap;
  for (int equation = 0; equation < signature.equations(); ++equation)
    heap.emplace(distance[equation], equation);
  const TightGraph graph{signature, transversal.u, transversal.v};
  while (!heap.empty()) {
    const auto [reached, equation] = heap.top();
    heap.pop();
    if (reached > distance[equation]) continue;
    for (const SignatureEntry entry : signature.row(equation)) {
      ++transversal.edge_visits;
      const int next = transversal.matching.equation_of_variable[entry.variable];
      const int further = reached + graph.slack(equation, entry);
      if (further >= distance[next]) continue;
      distance[next] = further;
      heap.emplace(further, next);
    }
  }
  std::vector<int> c(transversal.u);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] -= distance[i];
  return c;
}

}  // namespace

std::expected<Offsets, DulmageMendelsohn> sigma_method(const Signature& signature) {
  const MaximumMatching ignoring_orders = maximum_matching(signature);
  if (!ignoring_orders.matching.perfect()) return std::unexpected(dulmage_mendelsohn(signature));
  Transversal transversal = highest_value_transversal(signature);
  Offsets offsets;
  offsets.c = smallest_offsets(signature, transversal);
  offsets.d.resize(offsets.c.size());
  for (int variable = 0; variable < signature.variables; ++variable) {
    const int equation = transversal.matching.equation_of_variable[variable];
    const int order = transversal.v[variable] - transversal.u[equation];  // σ of the transversal
    offsets.d[variable] = offsets.c[equation] + order;
    offsets.value += order;
  }
  offsets.edge_visits = ignoring_orders.edge_visits + transversal.edge_visits;
  return offsets;
}

}  // namespace daedalus
