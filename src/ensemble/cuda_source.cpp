#include "ensemble/cuda_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "ensemble/tableau_rows.hpp"

namespace daedalus {
namespace {

constexpr std::string_view prelude = R"(
#ifndef ENSEMBLE_HOST
#define ENSEMBLE_FUNCTION __device__ __forceinline__
#define ENSEMBLE_CALL __device__ __noinline__
#define ENSEMBLE_KERNEL __global__ __launch_bounds__(128)
#define ENSEMBLE_TABLE __device__ constexpr
#define ENSEMBLE_THREAD ((long long)blockIdx.x * blockDim.x + threadIdx.x)
#endif
#define ENSEMBLE_NOT(mask) (!(mask))

ENSEMBLE_FUNCTION double ensemble_power(double a, double b) {
  if (b == 2.0) return a * a;
  if (b == 3.0) return a * a * a;
  if (b == 4.0) return (a * a) * (a * a);
  if (b == 0.5) return sqrt(a);
  if (b == -1.0) return 1.0 / a;
  return pow(a, b);
}
ENSEMBLE_FUNCTION double ensemble_sign(double a) { return a != a ? a : (double)(a > 0) - (double)(a < 0); }
ENSEMBLE_FUNCTION double ensemble_smaller(double a, double b) { return b < a || b != b ? b : a; }
ENSEMBLE_FUNCTION double ensemble_larger(double a, double b) { return b > a || b != b ? b : a; }
)";

constexpr std::string_view host_definitions = R"(
#include <cmath>
using std::log; using std::exp; using std::sqrt; using std::pow; using std::fabs; using std::log10; using std::sin;
using std::cos; using std::tan; using std::asin; using std::acos; using std::atan; using std::sinh; using std::cosh;
using std::tanh; using std::floor; using std::ceil; using std::atan2;
#define ENSEMBLE_HOST
#define ENSEMBLE_FUNCTION inline
#define ENSEMBLE_CALL static
#define ENSEMBLE_KERNEL
#define ENSEMBLE_TABLE static constexpr
static thread_local long long ensemble_thread = 0;
#define ENSEMBLE_THREAD ensemble_thread
)";

constexpr std::string_view host_entry = R"(
extern "C" void host_kernel(EnsembleSettings settings, EnsembleArrays arrays) {
  for (ensemble_thread = 0; ensemble_thread < arrays.runs; ++ensemble_thread) ensemble_kernel(settings, arrays);
}
)";

// Digits that read back as the same number.
std::string number(double value) {
  if (std::isnan(value)) return "(0.0 / 0.0)";
  if (std::isinf(value)) return value > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)";
  std::string text = fmt::format("{:.17g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 || std::signbit(value) ? "(" + text + ")" : text;
}

// How an operation is written: {0}, {1}, {2} are its arguments.
std::string_view written(Op op) {
  switch (op) {
    case Op::Add:
      return "{0} + {1}";
    case Op::Sub:
      return "{0} - {1}";
    case Op::Mul:
      return "{0} * {1}";
    case Op::Div:
      return "{0} / {1}";
    case Op::Neg:
      return "-{0}";
    case Op::Pow:
      return "ensemble_power({0}, {1})";
    case Op::Abs:
      return "fabs({0})";
    case Op::Sign:
      return "ensemble_sign({0})";
    case Op::Sqrt:
      return "sqrt({0})";
    case Op::Exp:
      return "exp({0})";
    case Op::Log:
      return "log({0})";
    case Op::Log10:
      return "log10({0})";
    case Op::Sin:
      return "sin({0})";
    case Op::Cos:
      return "cos({0})";
    case Op::Tan:
      return "tan({0})";
    case Op::Asin:
      return "asin({0})";
    case Op::Acos:
      return "acos({0})";
    case Op::Atan:
      return "atan({0})";
    case Op::Sinh:
      return "sinh({0})";
    case Op::Cosh:
      return "cosh({0})";
    case Op::Tanh:
      return "tanh({0})";
    case Op::Floor:
      return "floor({0})";
    case Op::Ceil:
      return "ceil({0})";
    case Op::Atan2:
      return "atan2({0}, {1})";
    case Op::Min:
      return "ensemble_smaller({0}, {1})";
    case Op::Max:
      return "ensemble_larger({0}, {1})";
    case Op::Less:
      return "({0} < {1} ? 1.0 : 0.0)";
    case Op::LessEqual:
      return "({0} <= {1} ? 1.0 : 0.0)";
    case Op::Equal:
      return "({0} == {1} ? 1.0 : 0.0)";
    case Op::NotEqual:
      return "({0} != {1} ? 1.0 : 0.0)";
    case Op::And:
      return "({0} != 0.0 && {1} != 0.0 ? 1.0 : 0.0)";
    case Op::Or:
      return "({0} != 0.0 || {1} != 0.0 ? 1.0 : 0.0)";
    case Op::Not:
      return "({0} == 0.0 ? 1.0 : 0.0)";
    case Op::If:
      return "({0} != 0.0 ? {1} : {2})";
    default:
      return {};
  }
}

class SourceText {
 public:
  explicit SourceText(const TrajectoryKernel& kernel) : kernel_(kernel) {}

  std::string write() {
    out_ += prelude;
    tables();
    function("ensemble_rates", kernel_.rates, "");
    std::vector<NodeId> results = kernel_.outputs;
    results.insert(results.end(), kernel_.constraints.begin(), kernel_.constraints.end());
    function("ensemble_record", results, "");
    projections();
    out_ += stepping_text();
    out_ += cuda_machine_text();
    return std::move(out_);
  }

 private:
  template <class Values, class Text>
  void table(std::string_view type, std::string_view name, const Values& values, Text&& text) {
    out_ += fmt::format("ENSEMBLE_TABLE {} {}[{}] = {{", type, name, std::max<std::size_t>(values.size(), 1));
    for (const auto& value : values) out_ += text(value) + ", ";
    out_ += values.empty() ? "0};\n" : "};\n";
  }
  void constant(std::string_view name, std::size_t value) {
    out_ += fmt::format("#define {} {}\n", name, value);
  }

  void tables() {
    const ErkTableau& tableau = *kernel_.tableau;
    const TableauRows rows(tableau);
    std::size_t moved = 1;
    for (const auto& projection : kernel_.projections) moved = std::max(moved, projection.step.size() + 1);
    constant("kSlots", static_cast<std::size_t>(kernel_.slots()));
    constant("kSize", kernel_.states.size());
    constant("kPositions", static_cast<std::size_t>(kernel_.positions));
    constant("kKept", kernel_.states.size() - static_cast<std::size_t>(kernel_.positions));
    constant("kGiven", kernel_.given.size());
    constant("kOutputs", kernel_.outputs.size());
    constant("kResults", kernel_.outputs.size() + kernel_.constraints.size());
    constant("kMoved", moved);
    constant("kLevels", kernel_.projections.size());
    constant("kStages", static_cast<std::size_t>(tableau.stages));
    constant("kAllStages", tableau.a.size());
    constant("kDenseRows", tableau.dense.size());
    constant("kEarly", tableau.error.back().stage == tableau.stages ? 1 : 0);
    const auto whole = [](int value) { return fmt::format("{}", value); };
    table("double", "kNominal", kernel_.nominal, number);
    table("double", "kNodes", tableau.c, number);
    table("int", "kBegins", rows.begins, whole);
    table("double", "kShares", rows.shares, number);
    table("int", "kTermStages", rows.terms, [](const EnsembleTerm& t) { return fmt::format("{}", t.stage); });
    table("double", "kTermRest", rows.terms, [](const EnsembleTerm& t) { return number(t.rest); });
    table("double", "kTermPosition", rows.terms, [](const EnsembleTerm& t) { return number(t.position); });
    std::vector<int> counts;
    std::vector<int> linear;
    for (const auto& projection : kernel_.projections) {
      counts.push_back(static_cast<int>(projection.step.size()));
      linear.push_back(projection.linear ? 1 : 0);
    }
    table("int", "kCounts", counts, whole);
    table("int", "kLinear", linear, whole);
    out_ += fmt::format("ENSEMBLE_TABLE int kProjected[{}][{}] = {{", std::max<std::size_t>(counts.size(), 1),
                        moved);
    for (const auto& projection : kernel_.projections) {
      out_ += "{";
      for (const int state : projection.states) out_ += fmt::format("{}, ", state);
      out_ += projection.states.empty() ? "0}, " : "}, ";
    }
    out_ += counts.empty() ? "{0}};\n" : "};\n";
  }

  void projections() {
    for (std::size_t level = 0; level < kernel_.projections.size(); ++level) {
      std::vector<NodeId> roots = kernel_.projections[level].step;
      if (level == 0) roots.push_back(kernel_.regularity);
      function(fmt::format("ensemble_project_{}", level), roots, "");
    }
    out_ += "ENSEMBLE_FUNCTION void ensemble_project(int level, const double* e, double* out) {\n";
    for (std::size_t level = 0; level < kernel_.projections.size(); ++level)
      out_ += fmt::format("  if (level == {0}) ensemble_project_{0}(e, out);\n", level);
    out_ += "}\n";
  }

  void function(std::string_view name, std::span<const NodeId> roots, std::string_view /*note*/) {
    const Tape tape = kernel_.tape(roots);
    out_ += fmt::format("ENSEMBLE_CALL void {}(const double* __restrict__ e, double* __restrict__ out) {{\n",
                        name);
    const auto value = [&tape](std::int32_t v) {
      return tape.is_constant(v) ? number(tape.constants[static_cast<std::size_t>(v)])
                                 : fmt::format("v{}", v);
    };
    for (std::size_t k = 0; k < tape.leaf_slots.size(); ++k)
      out_ += fmt::format("  const double v{} = e[{}];\n", tape.first_leaf() + k, tape.leaf_slots[k]);
    const auto pairs = sine_pairs(tape);
    for (std::size_t k = 0; k < tape.operations.size(); ++k) operation(tape, k, pairs, value);
    for (std::size_t k = 0; k < tape.roots.size(); ++k)
      out_ += fmt::format("  out[{}] = {};\n", k, value(tape.roots[k]));
    out_ += "}\n";
  }

  // By argument: the operations that are its sine and its cosine, where both are there.
  using Pairs = std::map<std::int32_t, std::pair<int, int>>;
  static Pairs sine_pairs(const Tape& tape) {
    Pairs pairs;
    for (std::size_t k = 0; k < tape.operations.size(); ++k) {
      const Tape::Operation& operation = tape.operations[k];
      if (operation.op != Op::Sin && operation.op != Op::Cos) continue;
      auto& pair = pairs.try_emplace(operation.args[0], -1, -1).first->second;
      (operation.op == Op::Sin ? pair.first : pair.second) = static_cast<int>(k);
    }
    std::erase_if(pairs, [](const auto& entry) { return entry.second.first < 0 || entry.second.second < 0; });
    return pairs;
  }

  template <class Value>
  void operation(const Tape& tape, std::size_t k, const Pairs& pairs, const Value& value) {
    const Tape::Operation& operation = tape.operations[k];
    const std::size_t first = tape.first_result();
    if (operation.op == Op::Sin || operation.op == Op::Cos) {
      if (const auto pair = pairs.find(operation.args[0]); pair != pairs.end()) {
        const auto [sine, cosine] = pair->second;
        if (static_cast<int>(k) != std::min(sine, cosine)) return;
        out_ += fmt::format("  double v{0}, v{1};\n  sincos({2}, &v{0}, &v{1});\n",
                            first + static_cast<std::size_t>(sine), first + static_cast<std::size_t>(cosine),
                            value(operation.args[0]));
        return;
      }
    }
    std::array<std::string, 3> arguments;
    for (std::size_t a = 0; a < operation.arity; ++a) arguments[a] = value(operation.args[a]);
    out_ += fmt::format(
        "  const double v{} = {};\n", first + k,
        fmt::format(fmt::runtime(written(operation.op)), arguments[0], arguments[1], arguments[2]));
  }

  const TrajectoryKernel& kernel_;
  std::string out_;
};

}  // namespace

std::string cuda_source(const TrajectoryKernel& kernel) {
  return SourceText(kernel).write();
}
std::string_view cuda_host_definitions() {
  return host_definitions;
}
std::string_view cuda_host_entry() {
  return host_entry;
}

}  // namespace daedalus
