#include "codegen/jacobian.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "expr/derivative.hpp"

namespace daedalus {
namespace {

struct Entry {
  int row = 0;
  int column = 0;
  NodeId value;
};

// Row by row; within a row by column.
std::vector<Entry> differentiate(ExprGraph& graph, std::span<const NodeId> roots, const LeafColumn& column_of,
                                 const EntryWanted& wanted) {
  std::size_t r = 0;
  Gradient gradient(graph, [&](NodeId leaf) {
    const Op op = graph.node(leaf).op;
    return (op == Op::Variable || op == Op::Discrete) && column_of(leaf) >= 0 && (!wanted || wanted(r, leaf));
  });
  std::vector<Entry> entries;
  for (; r < roots.size(); ++r) {
    const std::size_t begin = entries.size();
    for (const Partial& partial : gradient(roots[r])) {
      entries.push_back({static_cast<int>(r), column_of(partial.leaf), partial.value});
    }
    std::ranges::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin), entries.end(), {},
                      &Entry::column);
    std::size_t kept = begin;
    for (std::size_t k = begin; k < entries.size(); ++k) {
      if (kept > begin && entries[kept - 1].column == entries[k].column) {
        entries[kept - 1].value = graph.add(entries[kept - 1].value, entries[k].value);
      } else {
        entries[kept++] = entries[k];
      }
    }
    entries.resize(kept);
  }
  return entries;
}

}  // namespace

SparseJacobianProgram SparseJacobianProgram::compile(ExprGraph& graph, std::span<const NodeId> roots,
                                                     int columns, const LeafColumn& column_of, int slots,
                                                     const LeafSlot& slot_of, const CodegenOptions& options,
                                                     const EntryWanted& wanted) {
  const std::vector<Entry> entries = differentiate(graph, roots, column_of, wanted);
  SparseJacobianProgram result;
  result.column_start.assign(static_cast<std::size_t>(columns) + 1, 0);
  for (const Entry& entry : entries) ++result.column_start[static_cast<std::size_t>(entry.column) + 1];
  std::partial_sum(result.column_start.begin(), result.column_start.end(), result.column_start.begin());
  result.row.resize(entries.size());
  result.constants_.resize(entries.size());
  std::vector<int> next(result.column_start.begin(), result.column_start.end() - 1);
  // The program keeps the order of rows, in which neighbouring entries share most of their operations.
  std::vector<NodeId> varying;
  std::vector<int> places;
  for (const Entry& entry : entries) {  // rows ascend, so they do within each column
    const int place = next[static_cast<std::size_t>(entry.column)]++;
    result.row[static_cast<std::size_t>(place)] = entry.row;
    if (graph.is_constant(entry.value)) {
      result.constants_[static_cast<std::size_t>(place)] = graph.node(entry.value).value;
    } else {
      places.push_back(place);
      varying.push_back(entry.value);
    }
  }
  result.program_ = Program::compile(graph, varying, slots, slot_of, options, places);
  return result;
}

void SparseJacobianProgram::fill_constants(std::span<double> values) const {
  assert(values.size() >= constants_.size());
  std::ranges::copy(constants_, values.begin());
}

void SparseJacobianProgram::evaluate_varying(std::span<const double> environment, std::span<double> values,
                                             std::vector<double>& workspace) const {
  assert(values.size() >= constants_.size());
  program_.evaluate(environment, values, workspace);
}

void SparseJacobianProgram::evaluate(std::span<const double> environment, std::span<double> values,
                                     std::vector<double>& workspace) const {
  fill_constants(values);
  evaluate_varying(environment, values, workspace);
}

}  // namespace daedalus
