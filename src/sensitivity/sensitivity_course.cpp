#include "sensitivity/sensitivity_course.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/dense_algebra.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Five stages, of order 9, for the runs of methods of high order; three, of order 5, for others.
constexpr int high_order = 7;
// Between the nodes the polynomial may be off by so many tolerances, as radau's own output may; at the end of
// a step the error is of much higher order.
constexpr double between_nodes = 5;
constexpr double safety = 0.9;
constexpr double shortest = 0.2, longest = 5;  // from one attempt or step to the next
// Of the step that is due: what is left beyond it is not worth a step of its own.
constexpr double nearly_all = 1.01;
constexpr int most_attempts = 40;  // each shortens by up to five

// Values at the nodes 0, c_1, …, 1 of the polynomials that are 1 at one node each, at x.
std::vector<double> weights_at(std::span<const double> c, double x) {
  std::vector<double> nodes{0};
  nodes.insert(nodes.end(), c.begin(), c.end());
  std::vector<double> weights(nodes.size(), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != i) weights[i] *= (x - nodes[j]) / (nodes[i] - nodes[j]);
    }
  }
  return weights;
}

// The polynomial of the stages' slopes, at the beginning of the step.
std::vector<double> extrapolation(std::span<const double> c) {
  std::vector<double> weights(c.size(), 1);
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < c.size(); ++j) {
      if (j != i) weights[i] *= c[j] / (c[j] - c[i]);
    }
  }
  return weights;
}

// The largest |∫_0^x Π (1 - σ/c_i) dσ| in [0, 1]: a slope that is off by 1 at the beginning means so much of
// a step for the polynomial between its nodes.
double effect_of_defect(std::span<const double> c) {
  constexpr int parts = 400;  // the midpoint rule is good to 1e-4 with them; a safety factor comes on top
  double integral = 0, largest = 0;
  for (int k = 0; k < parts; ++k) {
    double product = 1;
    for (const double node : c) product *= 1 - ((k + 0.5) / parts / node);
    integral += product / parts;
    largest = std::max(largest, std::abs(integral));
  }
  return largest;
}

}  // namespace

SensitivityCourse::SensitivityCourse(const EngineParts& parts, const SensitivityModel& sensitivities,
                                     const RunSettings& settings, std::vector<StartValue> values, Start start)
    : parts_(parts),
      model_(*parts.model),
      sensitivities_(sensitivities),
      tolerances_(settings.tolerances),
      given_(std::move(values)),
      start_(std::move(start)),
      point_(model_, sensitivities_) {
  leaves_.setZero(static_cast<Eigen::Index>(sensitivities_.leaves.size()) + 1, parameters());
  for (Eigen::Index p = 0; p < parameters(); ++p) {
    const int leaf = sensitivities_.parameters[static_cast<std::size_t>(p)].leaf;
    if (leaf >= 0) leaves_(leaf, p) = 1;
  }
  levels_.setZero(model_.level_count(), parameters());
}

double SensitivityCourse::size_of(Eigen::Index parameter) const {
  const double size = std::abs(parameter_values_[static_cast<std::size_t>(parameter)]);
  return size > 0 ? size : 1;
}

// At consistent values, with levels_ as the states shall have them: new states, and all that follows.
std::string SensitivityCourse::enter(std::span<const double> environment) {
  if (std::string trouble = point_.choose(environment); !trouble.empty()) return trouble;
  if (std::string trouble = point_.solve(environment, leaves_); !trouble.empty()) return trouble;
  const auto& states = point_.states();
  state_.resize(static_cast<Eigen::Index>(states.size()), parameters());
  for (std::size_t s = 0; s < states.size(); ++s)
    state_.row(static_cast<Eigen::Index>(s)) = levels_.row(states[s]);
  largest_ = state_.cwiseAbs();
  levels_ = product(point_.by_state(), state_) + point_.by_given().leftCols(parameters());
  slope_.resize(state_.rows(), parameters());
  for (std::size_t s = 0; s < states.size(); ++s)
    slope_.row(static_cast<Eigen::Index>(s)) = levels_.row(states[s] + 1);
  outputs_ = point_.outputs(environment, {.levels = levels_, .given = leaves_});
  return {};
}

// ż of all levels where point_ is.
VectorXd SensitivityCourse::rates_at(std::span<const double> environment) const {
  const auto& states = point_.states();
  VectorXd rates(static_cast<Eigen::Index>(states.size()));
  for (std::size_t s = 0; s < states.size(); ++s)
    rates(static_cast<Eigen::Index>(s)) =
        environment[static_cast<std::size_t>(model_.layout().levels + states[s] + 1)];
  return product(point_.by_state(), rates) + point_.by_given().col(parameters());
}

std::string SensitivityCourse::step(Stepper& stepper, double reached, bool event) {
  const Integrator& integrator = *stepper.integrator();
  tableau_ = &radau_tableau(integrator.order() >= high_order ? 5 : 3);
  pieces_.clear();
  {
    Stepper::OutputPoints points(stepper);
    double t = stepper.time();
    while (t < reached) {
      if (std::string trouble = advance(points, t, reached); !trouble.empty())
        return fmt::format("no sensitivities from t = {:.10g} on: {}", t, trouble);
    }
  }
  if (!event) return {};
  before_.t = reached;
  before_.environment = nodes_.back().environment;
  before_.crossed = stepper.crossed();
  before_.rates = rates_at(before_.environment);
  before_.stepper = std::make_unique<Stepper>(stepper);
  return {};
}

std::string SensitivityCourse::look_at(Stepper::OutputPoints& points, double t, double h) {
  nodes_.resize(tableau_->c.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const std::span<const double> environment = points.within(t + (tableau_->c[i] * h));
    node.environment.assign(environment.begin(), environment.end());
    if (std::string trouble = point_.solve(node.environment, leaves_); !trouble.empty()) return trouble;
    node.by_state = point_.by_state();
    node.by_given = point_.by_given();
  }
  return {};
}

// A δs + B at a node.
MatrixXd SensitivityCourse::slopes(const Node& node, const MatrixXd& at) const {
  const auto& states = point_.states();
  MatrixXd result(at.rows(), at.cols());
  for (std::size_t s = 0; s < states.size(); ++s)
    result.row(static_cast<Eigen::Index>(s)) =
        node.by_state.row(states[s] + 1) * at + node.by_given.row(states[s] + 1).head(at.cols());
  return result;
}

// (A⁻¹ ⊗ I - h diag(A_i)) (S_i - S_0) = h (A_i S_0 + B_i), S_i one below the other.
MatrixXd SensitivityCourse::stages_of(double h) const {
  const auto& states = point_.states();
  const Eigen::Index n = state_.rows();
  const auto s = static_cast<Eigen::Index>(nodes_.size());
  MatrixXd matrix = MatrixXd::Zero(s * n, s * n);
  MatrixXd right(s * n, parameters());
  for (Eigen::Index i = 0; i < s; ++i) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < s; ++j)
      matrix.block(i * n, j * n, n, n)
          .diagonal()
          .setConstant(tableau_->inverse[static_cast<std::size_t>((i * s) + j)]);
    for (Eigen::Index r = 0; r < n; ++r)
      matrix.block(i * n, i * n, n, n).row(r) -=
          h * node.by_state.row(states[static_cast<std::size_t>(r)] + 1);
    right.middleRows(i * n, n) = h * slopes(node, state_);
  }
  if (n == 0) return right;
  MatrixXd stages = Lu(matrix).solve(right);
  for (Eigen::Index i = 0; i < s; ++i) stages.middleRows(i * n, n) += state_;
  return stages;
}

// Of the collocation polynomial, in units of the tolerances: by how much its slope misses the one at the
// beginning, filtered for stiff equations as Hairer and Wanner (IV.8.19) do it.
double SensitivityCourse::error_of(double h, const MatrixXd& stages) const {
  const Eigen::Index n = state_.rows();
  if (n == 0) return 0;
  const std::vector<double> weights = extrapolation(tableau_->c);
  MatrixXd defect = slope_;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    defect -= weights[i] * slopes(nodes_[i], stages.middleRows(static_cast<Eigen::Index>(i) * n, n));
  const auto& states = point_.states();
  MatrixXd filter = MatrixXd::Identity(n, n);
  for (Eigen::Index r = 0; r < n; ++r)
    filter.row(r) -=
        h / tableau_->gamma * nodes_.back().by_state.row(states[static_cast<std::size_t>(r)] + 1);
  const MatrixXd error = h * effect_of_defect(tableau_->c) * Lu(filter).solve(defect);
  const auto end = stages.bottomRows(n);
  double largest = 0;
  for (Eigen::Index p = 0; p < parameters(); ++p) {
    double sum = 0;
    for (Eigen::Index r = 0; r < n; ++r) {
      const Level& level =
          model_.levels().levels[static_cast<std::size_t>(states[static_cast<std::size_t>(r)])];
      const double nominal = model_.dae().variables[level.variable.at()].nominal;
      const double size = std::max(largest_(r, p), std::abs(end(r, p)));
      const double allowed = (tolerances_.relative * size) + (tolerances_.absolute * nominal / size_of(p));
      sum += std::pow(error(r, p) / allowed, 2);
    }
    largest = std::max(largest, std::sqrt(sum / static_cast<double>(n)));
  }
  return largest;
}

std::string SensitivityCourse::advance(Stepper::OutputPoints& points, double& t, double reached) {
  double h = reached - t;
  if (next_step_ > 0 && next_step_ * nearly_all < h) h = next_step_;
  for (int attempt = 0; attempt < most_attempts && t + h > t; ++attempt) {
    if (std::string trouble = look_at(points, t, h); !trouble.empty()) return trouble;
    const MatrixXd stages = stages_of(h);
    const double error = error_of(h, stages) / between_nodes;
    const double factor =
        error > 0 ? safety * std::pow(error, -1.0 / static_cast<double>(nodes_.size() + 1)) : longest;
    if (error <= 1) {
      const bool last = h == reached - t;
      accept(t, h, stages);
      t = last ? reached : t + h;
      next_step_ = h * std::clamp(factor, shortest, longest);
      if (!point_.worn()) return {};
      return enter(nodes_.back().environment);
    }
    h *= std::isfinite(error) ? std::max(factor, shortest) : shortest;
  }
  return "their equations cannot be integrated to the tolerances";
}

void SensitivityCourse::accept(double t, double h, const MatrixXd& stages) {
  const Eigen::Index n = state_.rows();
  Piece piece{.begin = t, .length = h, .c = tableau_->c, .outputs = {outputs_}};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    state_ = stages.middleRows(static_cast<Eigen::Index>(i) * n, n);
    levels_ = product(node.by_state, state_) + node.by_given.leftCols(parameters());
    piece.outputs.push_back(point_.outputs(node.environment, {.levels = levels_, .given = leaves_}));
  }
  slope_ = slopes(nodes_.back(), state_);
  largest_ = largest_.cwiseMax(state_.cwiseAbs());
  outputs_ = piece.outputs.back();
  pieces_.push_back(std::move(piece));
}

void SensitivityCourse::values(double t, std::span<double> out) const {
  const auto put = [&](auto&& value) {
    std::size_t k = 0;
    for (const int signal : sensitivities_.reported) {
      for (Eigen::Index p = 0; p < parameters(); ++p) out[k++] = value(signal, p);
    }
  };
  if (outputs_.size() == 0) {  // there was no start
    std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const auto after = std::ranges::upper_bound(pieces_, t, {}, &Piece::begin);
  if (after == pieces_.begin()) return put([&](int signal, Eigen::Index p) { return outputs_(signal, p); });
  const Piece& piece = *std::prev(after);
  const std::vector<double> weights = weights_at(piece.c, (t - piece.begin) / piece.length);
  put([&](int signal, Eigen::Index p) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * piece.outputs[i](signal, p);
    return sum;
  });
}

}  // namespace daedalus
