#include "codegen/jacobian.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "expr/derivative.hpp"
#include "expr/node_map.hpp"

namespace daedalus {
namespace {

struct Place {
  int column = 0;
  int part = 0;
  auto operator<=>(const Place&) const = default;
};

struct Entry {
  int row;
  Place place;
  NodeId value;
};

// Sorts the entries of one row, from `begin` on, by place and adds those of one place.
void merge(ExprGraph& graph, std::vector<Entry>& entries, std::size_t begin) {
  std::ranges::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin), entries.end(), {}, &Entry::place);
  std::size_t kept = begin;
  for (std::size_t k = begin; k < entries.size(); ++k) {
    if (kept > begin && entries[kept - 1].place == entries[k].place) {
      entries[kept - 1].value = graph.add(entries[kept - 1].value, entries[k].value);
    } else {
      entries[kept++] = entries[k];
    }
  }
  entries.resize(kept);
}

// Row by row, within a row by place.
std::vector<Entry> differentiate(ExprGraph& graph, const JacobianRequest& request) {
  NodeMap<Place> places;
  for (const Independent& x : request.independents) {
    assert(x.column >= 0 && x.column < request.columns && x.part >= 0 && x.part < request.parts);
    places.try_emplace(x.leaf, {x.column, x.part});
  }
  Gradient gradient(graph, [&](NodeId leaf) { return places.find(leaf) != nullptr; });
  std::vector<Entry> entries;
  for (std::size_t r = 0; r < request.roots.size(); ++r) {
    const std::size_t begin = entries.size();
    for (const Partial& p : gradient(request.roots[r])) {
      entries.push_back({static_cast<int>(r), *places.find(p.leaf), p.value});
    }
    merge(graph, entries, begin);
  }
  return entries;
}

// The pattern by a counting sort on columns, which keeps the rows of a column in order. Gives the nonzero
// that each entry belongs to; entries of several parts share one.
std::vector<int> compress(const std::vector<Entry>& entries, int columns, SparseJacobianProgram& to) {
  const auto opens = [&](std::size_t k) {
    return k == 0 || entries[k].row != entries[k - 1].row ||
           entries[k].place.column != entries[k - 1].place.column;
  };
  to.column_start.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (opens(k)) ++to.column_start[static_cast<std::size_t>(entries[k].place.column) + 1];
  }
  std::partial_sum(to.column_start.begin(), to.column_start.end(), to.column_start.begin());
  std::vector<int> next(to.column_start.begin(), to.column_start.end() - 1);
  std::vector<int> nonzero(entries.size());
  to.row.resize(static_cast<std::size_t>(to.column_start.back()));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    nonzero[k] = opens(k) ? next[static_cast<std::size_t>(entries[k].place.column)]++ : nonzero[k - 1];
    to.row[static_cast<std::size_t>(nonzero[k])] = entries[k].row;
  }
  return nonzero;
}

}  // namespace

SparseJacobianProgram SparseJacobianProgram::build(ExprGraph& graph, const JacobianRequest& request) {
  SparseJacobianProgram result;
  const std::vector<Entry> entries = differentiate(graph, request);
  const std::vector<int> nonzero = compress(entries, request.columns, result);
  result.constants_.resize(static_cast<std::size_t>(request.parts) * result.row.size());
  // The program keeps the order of rows, in which neighbouring entries share most of their operations.
  std::vector<NodeId> varying;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const int target = entries[k].place.part * static_cast<int>(result.row.size()) + nonzero[k];
    if (graph.is_constant(entries[k].value)) {
      result.constants_[static_cast<std::size_t>(target)] = graph.node(entries[k].value).value;
    } else {
      result.varying_entries_.push_back(target);
      varying.push_back(entries[k].value);
    }
  }
  result.program_ = Program::compile(graph, varying, request.slots, request.slot_of);
  return result;
}

void SparseJacobianProgram::fill_constants(std::span<double> values) const {
  assert(values.size() >= constants_.size());
  std::ranges::copy(constants_, values.begin());
}

void SparseJacobianProgram::evaluate_varying(std::span<const double> environment, std::span<double> values,
                                             std::vector<double>& workspace) const {
  assert(values.size() >= constants_.size());
  const double* const registers = program_.run(environment, workspace);
  const std::span<const std::int32_t> outputs = program_.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    values[static_cast<std::size_t>(varying_entries_[k])] = registers[outputs[k]];
  }
}

void SparseJacobianProgram::evaluate(std::span<const double> environment, std::span<double> values,
                                     std::vector<double>& workspace) const {
  fill_constants(values);
  evaluate_varying(environment, values, workspace);
}

}  // namespace daedalus
