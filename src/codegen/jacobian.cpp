#include "codegen/jacobian.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"

namespace daedalus {
namespace {

struct Entry {
  int row = 0;
  int column = 0;
  NodeId value;
};

// Gradients of rows. Rows that want the same of the leaves they hold share a sweep, which then knows from the
// rows before what depends on these leaves; without conditions all rows do.
class RowGradients {
 public:
  RowGradients(ExprGraph& graph, std::span<const NodeId> roots, const LeafColumn& column_of,
               const EntryWanted& wanted)
      : graph_(graph), roots_(roots), column_of_(column_of), wanted_(wanted) {
    if (wanted) leaves_ = leaves_of_each(graph, roots);
  }

  const std::vector<Partial>& operator()(std::size_t row) {
    for (Shared& one : shared_) {
      if (alike(row, one.first)) return (*one.gradient)(roots_[row]);
    }
    if (shared_.size() == most_kinds) shared_.pop_back();
    shared_.push_back({.first = row, .gradient = std::make_unique<Gradient>(graph_, [this, row](NodeId leaf) {
                                       const Op op = graph_.node(leaf).op;
                                       return (op == Op::Variable || op == Op::Discrete) &&
                                              column_of_(leaf) >= 0 && (!wanted_ || wanted_(row, leaf));
                                     })});
    return (*shared_.back().gradient)(roots_[row]);
  }

 private:
  // Beyond, a kind of rows has a sweep of its own each time.
  static constexpr std::size_t most_kinds = 4;
  struct Shared {
    std::size_t first;  // row of this kind
    std::unique_ptr<Gradient> gradient;
  };
  [[nodiscard]] bool alike(std::size_t row, std::size_t first) const {
    return !wanted_ || std::ranges::all_of(leaves_[row], [&](NodeId leaf) {
      return column_of_(leaf) < 0 || wanted_(row, leaf) == wanted_(first, leaf);
    });
  }

  ExprGraph& graph_;
  std::span<const NodeId> roots_;
  const LeafColumn& column_of_;
  const EntryWanted& wanted_;
  std::vector<std::vector<NodeId>> leaves_;  // by row
  std::vector<Shared> shared_;
};

// Row by row; within a row by column.
std::vector<Entry> differentiate(ExprGraph& graph, std::span<const NodeId> roots, const LeafColumn& column_of,
                                 const EntryWanted& wanted) {
  RowGradients gradient(graph, roots, column_of, wanted);
  std::vector<Entry> entries;
  for (std::size_t r = 0; r < roots.size(); ++r) {
    const std::size_t begin = entries.size();
    for (const Partial& partial : gradient(r)) {
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
  std::vector<int> indices;
  for (const Entry& entry : entries) {  // rows ascend, so they do within each column
    const int index = next[static_cast<std::size_t>(entry.column)]++;
    result.row[static_cast<std::size_t>(index)] = entry.row;
    if (graph.is_constant(entry.value)) {
      result.constants_[static_cast<std::size_t>(index)] = graph.node(entry.value).value;
    } else {
      indices.push_back(index);
      varying.push_back(entry.value);
    }
  }
  result.program_ = Program::compile(graph, varying, slots, slot_of, options, indices);
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
