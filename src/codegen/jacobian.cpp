#include "codegen/jacobian.hpp"

#include "expr/derivative.hpp"

namespace daedalus {

SparseJacobianProgram SparseJacobianProgram::compile(ExprGraph& graph, std::span<const NodeId> roots, int columns,
                                                     const LeafColumn& column_of, int slots, const LeafSlot& slot_of) {
  struct Entry {
    int row;
    int column;
    NodeId value;
  };
  std::vector<Entry> entries;
  SparseJacobianProgram result;
  result.column_start.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (std::size_t r = 0; r < roots.size(); ++r) {
    for (const Partial& partial : gradient(graph, roots[r], true)) {
      const int column = column_of(partial.leaf);
      if (column < 0) continue;
      entries.push_back({static_cast<int>(r), column, partial.value});
      ++result.column_start[static_cast<std::size_t>(column) + 1];
    }
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) result.column_start[c + 1] += result.column_start[c];
  result.row.resize(entries.size());
  std::vector<int> next(result.column_start.begin(), result.column_start.end() - 1);
  std::vector<NodeId> varying;
  for (const Entry& entry : entries) {  // rows ascend, so they do within each column
    const int place = next[static_cast<std::size_t>(entry.column)]++;
    result.row[static_cast<std::size_t>(place)] = entry.row;
    if (graph.is_constant(entry.value)) {
      result.constant_entries_.push_back(place);
      result.constant_values_.push_back(graph.node(entry.value).value);
    } else {
      result.varying_entries_.push_back(place);
      varying.push_back(entry.value);
    }
  }
  result.program_ = Program::compile(graph, varying, slots, slot_of);
  result.varying_.resize(varying.size());
  return result;
}

void SparseJacobianProgram::evaluate(std::span<const double> environment, std::span<double> values,
                                     std::vector<double>& workspace) const {
  program_.evaluate(environment, varying_, workspace);
  for (std::size_t k = 0; k < constant_entries_.size(); ++k) values[static_cast<std::size_t>(constant_entries_[k])] = constant_values_[k];
  for (std::size_t k = 0; k < varying_entries_.size(); ++k) values[static_cast<std::size_t>(varying_entries_[k])] = varying_[k];
}

}  // namespace daedalus
