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

// ∂root/∂leaf of one row, before the rows are put into columns.
struct Entry {
  Place place;
  NodeId value;
};

struct RowMajor {
  std::vector<int> row;  // a nonzero of the pattern after another, row by row
  std::vector<int> column;
  struct Value {
    int nonzero;
    int part;
    NodeId value;
  };
  std::vector<Value> values;
};

// Sorts the entries of a row by place and adds those of one place.
void merge(ExprGraph& graph, std::vector<Entry>& entries) {
  std::ranges::sort(entries, {}, &Entry::place);
  std::size_t kept = 0;
  for (const Entry& entry : entries) {
    if (kept > 0 && entries[kept - 1].place == entry.place) {
      entries[kept - 1].value = graph.add(entries[kept - 1].value, entry.value);
    } else {
      entries[kept++] = entry;
    }
  }
  entries.resize(kept);
}

RowMajor differentiate(ExprGraph& graph, const JacobianRequest& request) {
  NodeMap<Place> places;
  for (const Independent& x : request.independents) {
    assert(x.column >= 0 && x.column < request.columns && x.part >= 0 && x.part < request.parts);
    places.try_emplace(x.leaf, {x.column, x.part});
  }
  Gradient gradient(graph, [&](NodeId leaf) { return places.find(leaf) != nullptr; });
  RowMajor result;
  std::vector<Entry> entries;
  for (std::size_t r = 0; r < request.roots.size(); ++r) {
    entries.clear();
    for (const Partial& p : gradient(request.roots[r])) entries.push_back({*places.find(p.leaf), p.value});
    merge(graph, entries);
    int last_column = -1;
    for (const Entry& entry : entries) {
      if (entry.place.column != last_column) {
        last_column = entry.place.column;
        result.row.push_back(static_cast<int>(r));
        result.column.push_back(last_column);
      }
      result.values.push_back({static_cast<int>(result.row.size()) - 1, entry.place.part, entry.value});
    }
  }
  return result;
}

// Counting sort by column, which keeps the rows of a column in order. Gives the new place of each nonzero.
std::vector<int> compress(const RowMajor& entries, SparseJacobianProgram& to) {
  to.column_start.assign(static_cast<std::size_t>(to.columns) + 1, 0);
  for (const int column : entries.column) ++to.column_start[static_cast<std::size_t>(column) + 1];
  std::partial_sum(to.column_start.begin(), to.column_start.end(), to.column_start.begin());
  std::vector<int> next(to.column_start.begin(), to.column_start.end() - 1);
  std::vector<int> place(entries.row.size());
  to.row.resize(entries.row.size());
  for (std::size_t k = 0; k < place.size(); ++k) {
    place[k] = next[static_cast<std::size_t>(entries.column[k])]++;
    to.row[static_cast<std::size_t>(place[k])] = entries.row[k];
  }
  return place;
}

}  // namespace

SparseJacobianProgram SparseJacobianProgram::build(ExprGraph& graph, const JacobianRequest& request) {
  SparseJacobianProgram result;
  result.rows = static_cast<int>(request.roots.size());
  result.columns = request.columns;
  const RowMajor entries = differentiate(graph, request);
  const std::vector<int> place = compress(entries, result);
  result.parts_.resize(static_cast<std::size_t>(request.parts));
  for (Part& part : result.parts_) part.constants.assign(result.row.size(), 0);
  // The program keeps the order of rows, in which neighbouring entries share most of their operations.
  std::vector<NodeId> varying;
  for (const RowMajor::Value& entry : entries.values) {
    Part& part = result.parts_[static_cast<std::size_t>(entry.part)];
    const int target = place[static_cast<std::size_t>(entry.nonzero)];
    if (graph.is_constant(entry.value)) {
      part.constants[static_cast<std::size_t>(target)] = graph.node(entry.value).value;
    } else {
      part.stores.push_back({static_cast<std::int32_t>(varying.size()), target});
      varying.push_back(entry.value);
    }
  }
  result.program_ = Program::compile(graph, varying, request.slots, request.slot_of);
  return result;
}

void SparseJacobianProgram::fill_constants(std::span<const std::span<double>> values) const {
  assert(values.size() == parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) std::ranges::copy(parts_[p].constants, values[p].begin());
}

void SparseJacobianProgram::evaluate_varying(std::span<const double> environment,
                                             std::span<const std::span<double>> values,
                                             std::vector<double>& workspace) const {
  assert(values.size() == parts_.size());
  const double* const registers = program_.run(environment, workspace);
  const std::span<const std::int32_t> outputs = program_.outputs();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    for (const Store& store : parts_[p].stores) {
      values[p][static_cast<std::size_t>(store.target)] =
          registers[outputs[static_cast<std::size_t>(store.source)]];
    }
  }
}

void SparseJacobianProgram::evaluate(std::span<const double> environment,
                                     std::span<const std::span<double>> values,
                                     std::vector<double>& workspace) const {
  fill_constants(values);
  evaluate_varying(environment, values, workspace);
}

}  // namespace daedalus
