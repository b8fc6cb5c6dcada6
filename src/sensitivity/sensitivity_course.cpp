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

// Seven stages, whose polynomial is as good between the nodes as the steps of methods of high order are long;
// three, of order 5, for the runs of others. With five stages a spatial four-bar linkage took nearly two
// steps to each of dop853, with seven it takes one.
constexpr int high_order = 7;
constexpr int many_stages = 7, few_stages = 3;
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
  const auto& levels = model_.levels().levels;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    if (levels[l + 1].order == 0) continue;  // a highest derivative
    lower_.push_back({static_cast<int>(l), model_.dae().variables[levels[l].variable.at()].nominal});
  }
}

double SensitivityCourse::size_of(Eigen::Index parameter) const {
  const double size = std::abs(parameter_values_[static_cast<std::size_t>(parameter)]);
  return size > 0 ? size : 1;
}

// At consistent values, with levels_ as the states shall have them: new states, and all that follows.
std::string SensitivityCourse::enter(std::span<const double> environment) {
  if (std::string trouble = point_.choose(environment); !trouble.empty()) return trouble;
  return take_up_states(environment);
}

std::string SensitivityCourse::take_up_states(std::span<const double> environment) {
  if (std::string trouble = point_.solve(environment, leaves_); !trouble.empty()) return trouble;
  const auto& states = point_.states();
  state_.resize(static_cast<Eigen::Index>(states.size()), parameters());
  for (std::size_t s = 0; s < states.size(); ++s)
    state_.row(static_cast<Eigen::Index>(s)) = levels_.row(states[s]);
  levels_ = product(point_.by_state(), state_) + point_.by_given().leftCols(parameters());
  largest_ = levels_.cwiseAbs();
  slope_.resize(state_.rows(), parameters());
  for (std::size_t s = 0; s < states.size(); ++s)
    slope_.row(static_cast<Eigen::Index>(s)) = levels_.row(states[s] + 1);
  here_.environment.assign(environment.begin(), environment.end());
  here_.levels = levels_;
  here_.outputs.resize(0, 0);
  return {};
}

// ż of all levels at the end of a step.
VectorXd SensitivityCourse::rates_at(const Node& node) const {
  const auto& states = point_.states();
  VectorXd rates(static_cast<Eigen::Index>(states.size()));
  for (std::size_t s = 0; s < states.size(); ++s)
    rates(static_cast<Eigen::Index>(s)) =
        node.environment[static_cast<std::size_t>(model_.layout().levels + states[s] + 1)];
  return product(node.by_state, rates) + node.by_given.col(parameters());
}

void SensitivityCourse::take_tableau(int order) {
  const RadauTableau& wanted = radau_tableau(order >= high_order ? many_stages : few_stages);
  if (tableau_ == &wanted) return;
  tableau_ = &wanted;
  error_formula_ = {.extrapolation = extrapolation(wanted.c), .effect_of_defect = effect_of_defect(wanted.c)};
}

std::string SensitivityCourse::step(Stepper& stepper, double reached, bool event) {
  take_tableau(stepper.integrator()->order());
  piece_count_ = 0;
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
  before_.environment = here_.environment;
  before_.crossed = stepper.crossed();
  before_.rates = rates_at(pieces_[piece_count_ - 1].nodes.back());
  before_.stepper = std::make_unique<Stepper>(stepper);
  return {};
}

SensitivityCourse::Piece& SensitivityCourse::piece_at_work() {
  if (piece_count_ == pieces_.size()) pieces_.emplace_back();
  return pieces_[piece_count_];
}

std::string SensitivityCourse::look_at(Stepper::OutputPoints& points, double t, double h) {
  std::vector<Node>& nodes = piece_at_work().nodes;
  nodes.resize(tableau_->c.size() + 1);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    Node& node = nodes[i];
    const std::span<const double> environment = points.within(t + (tableau_->c[i - 1] * h));
    node.environment.assign(environment.begin(), environment.end());
    if (std::string trouble = point_.solve(node.environment, leaves_); !trouble.empty()) return trouble;
    point_.hand_over(node.by_state, node.by_given);
  }
  return {};
}

// Of A δs + B at a node, δs being `at`.
double SensitivityCourse::slope(const Node& node, Eigen::Index state, Eigen::Index parameter,
                                const double* at) const {
  const Eigen::Index row = point_.states()[static_cast<std::size_t>(state)] + 1;
  double sum = node.by_given(row, parameter);
  for (Eigen::Index s = 0; s < state_.rows(); ++s) sum += node.by_state(row, s) * at[s];
  return sum;
}

// (A⁻¹ ⊗ I - h diag(A_i)) (S_i - S_0) = h (A_i S_0 + B_i), S_i one below the other.
bool SensitivityCourse::solve_stages(double h) {
  const std::vector<Node>& nodes = piece_at_work().nodes;
  const int n = static_cast<int>(state_.rows()), s = tableau_->stages;
  const int count = static_cast<int>(parameters());
  stages_.resize(static_cast<Eigen::Index>(s) * n, count);
  if (n == 0) return true;
  elimination_.begin(s * n, count);
  for (int i = 0; i < s; ++i) {
    const Node& node = nodes[static_cast<std::size_t>(i) + 1];
    for (int r = 0; r < n; ++r) {
      double* const row = elimination_.row((i * n) + r);
      const int level = point_.states()[static_cast<std::size_t>(r)] + 1;
      for (int c = 0; c < n; ++c) row[(i * n) + c] = -h * node.by_state(level, c);
      for (int j = 0; j < s; ++j)
        row[(j * n) + r] += tableau_->inverse[static_cast<std::size_t>((i * s) + j)];
      double* const right = elimination_.right((i * n) + r);
      for (int p = 0; p < count; ++p) right[p] = h * slope(node, r, p, state_.col(p).data());
    }
  }
  if (!elimination_.solve()) return false;
  for (int k = 0; k < s * n; ++k) {
    const std::span<const double> found = elimination_.solution(k);
    for (int p = 0; p < count; ++p) stages_(k, p) = state_(k % n, p) + found[static_cast<std::size_t>(p)];
  }
  return true;
}

// Of the collocation polynomial, in units of the tolerances: by how much its slope misses the one at the
// beginning, filtered for stiff equations as Hairer and Wanner (IV.8.19) do it.
double SensitivityCourse::error_of(double h) {
  const std::vector<Node>& nodes = piece_at_work().nodes;
  const int n = static_cast<int>(state_.rows()), count = static_cast<int>(parameters());
  if (n == 0) return 0;
  elimination_.begin(n, count);
  const double gain = h * error_formula_.effect_of_defect;
  for (int r = 0; r < n; ++r) {
    double* const row = elimination_.row(r);
    const int level = point_.states()[static_cast<std::size_t>(r)] + 1;
    for (int c = 0; c < n; ++c) row[c] = -h / tableau_->gamma * nodes.back().by_state(level, c);
    row[r] += 1;
    for (int p = 0; p < count; ++p) {
      double defect = slope_(r, p);
      for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
        defect -= error_formula_.extrapolation[i] *
                  slope(nodes[i + 1], r, p, stages_.col(p).data() + (i * static_cast<std::size_t>(n)));
      elimination_.right(r)[p] = gain * defect;
    }
  }
  if (!elimination_.solve()) return std::numeric_limits<double>::infinity();
  defect_.resize(n, count);
  for (int r = 0; r < n; ++r) {
    for (int p = 0; p < count; ++p) defect_(r, p) = elimination_.solution(r)[static_cast<std::size_t>(p)];
  }
  return error_against_tolerances(defect_);
}

// Of all levels that follow from the states, because they may follow by large factors.
double SensitivityCourse::error_against_tolerances(const MatrixXd& error) const {
  const Eigen::Index n = state_.rows();
  const Node& end = pieces_[piece_count_].nodes.back();
  double largest = 0;
  for (Eigen::Index p = 0; p < parameters(); ++p) {
    const double* const state = stages_.col(p).data() + (stages_.rows() - n);
    const double by_parameter = 1 / size_of(p);
    double sum = 0;
    for (const LowerLevel& lower : lower_) {
      double value = end.by_given(lower.level, p), off = 0;
      for (Eigen::Index s = 0; s < n; ++s) {
        const double factor = end.by_state(lower.level, s);
        value += factor * state[s];
        off += factor * error(s, p);
      }
      const double size = std::max(largest_(lower.level, p), std::abs(value));
      const double relative =
          off / ((tolerances_.relative * size) + (tolerances_.absolute * lower.nominal * by_parameter));
      sum += relative * relative;
    }
    const double mean = std::sqrt(sum / static_cast<double>(lower_.size()));
    if (!(mean <= largest)) largest = mean;
  }
  return largest;
}

std::string SensitivityCourse::advance(Stepper::OutputPoints& points, double& t, double reached) {
  double h = reached - t;
  if (next_step_ > 0 && next_step_ * nearly_all < h) h = next_step_;
  for (int attempt = 0; attempt < most_attempts && t + h > t; ++attempt) {
    if (std::string trouble = look_at(points, t, h); !trouble.empty()) return trouble;
    if (point_.worn(piece_at_work().nodes.back().by_state)) {
      // Where states end as a bad choice there is a pole of their equations behind the end, and the
      // polynomial would have to follow it.
      if (attempt == 0 && exchange_states()) {
        if (std::string trouble = take_up_states(std::vector<double>(here_.environment)); !trouble.empty())
          return trouble;
        continue;
      }
      if (attempt <= 1) {
        if (std::string trouble = enter(std::vector<double>(here_.environment)); !trouble.empty())
          return trouble;
        attempt = std::max(attempt, 1);
        continue;
      }
      if (attempt <= most_attempts / 2) {
        h /= 2;
        continue;
      }
    }
    const double error =
        solve_stages(h) ? error_of(h) / between_nodes : std::numeric_limits<double>::infinity();
    const double factor =
        error > 0 ? safety * std::pow(error, -1.0 / static_cast<double>(tableau_->stages + 1)) : longest;
    if (error <= 1) {
      const bool last = h == reached - t;
      accept(t, h);
      t = last ? reached : t + h;
      next_step_ = h * std::clamp(factor, shortest, longest);
      return {};
    }
    h *= std::isfinite(error) ? std::max(factor, shortest) : shortest;
  }
  return "their equations cannot be integrated to the tolerances";
}

bool SensitivityCourse::exchange_states() {
  const std::vector<Node>& nodes = piece_at_work().nodes;
  return point_.exchange(nodes[1].by_state, nodes.back().by_state);
}

// δz from δs.
void SensitivityCourse::follow(Node& node, const double* state) const {
  const Eigen::Index stride = stages_.rows();
  node.levels = node.by_given.leftCols(parameters());
  for (Eigen::Index p = 0; p < parameters(); ++p) {
    for (Eigen::Index s = 0; s < state_.rows(); ++s)
      node.levels.col(p) += state[(p * stride) + s] * node.by_state.col(s);
  }
  node.outputs.resize(0, 0);
}

void SensitivityCourse::accept(double t, double h) {
  const Eigen::Index n = state_.rows();
  Piece& piece = piece_at_work();
  piece.begin = t;
  piece.length = h;
  piece.tableau = tableau_;
  const auto copy = [](const Node& from, Node& to) {
    to.environment = from.environment;
    to.levels = from.levels;
    to.outputs = from.outputs;
  };
  copy(here_, piece.nodes.front());
  for (std::size_t i = 1; i < piece.nodes.size(); ++i)
    follow(piece.nodes[i], stages_.data() + ((static_cast<Eigen::Index>(i) - 1) * n));
  state_ = stages_.bottomRows(n);
  levels_ = piece.nodes.back().levels;
  for (Eigen::Index p = 0; p < parameters(); ++p) {
    for (Eigen::Index r = 0; r < n; ++r) slope_(r, p) = slope(piece.nodes.back(), r, p, state_.col(p).data());
  }
  largest_ = largest_.cwiseMax(levels_.cwiseAbs());
  copy(piece.nodes.back(), here_);
  ++piece_count_;
}

const MatrixXd& SensitivityCourse::outputs_at(Node& node) {
  if (node.outputs.size() == 0)
    node.outputs = point_.outputs(node.environment, {.levels = node.levels, .given = leaves_});
  return node.outputs;
}

void SensitivityCourse::values(double t, std::span<double> out) {
  const auto put = [&](auto&& value) {
    std::size_t k = 0;
    for (const int signal : sensitivities_.reported) {
      for (Eigen::Index p = 0; p < parameters(); ++p) out[k++] = value(signal, p);
    }
  };
  if (here_.environment.empty()) {  // there was no start
    std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const auto end = pieces_.begin() + static_cast<std::ptrdiff_t>(piece_count_);
  const auto after = std::ranges::upper_bound(pieces_.begin(), end, t, {}, &Piece::begin);
  if (after == pieces_.begin()) {
    const MatrixXd& outputs = outputs_at(here_);
    return put([&](int signal, Eigen::Index p) { return outputs(signal, p); });
  }
  Piece& piece = *std::prev(after);
  const std::vector<double> weights = weights_at(piece.tableau->c, (t - piece.begin) / piece.length);
  for (Node& node : piece.nodes) (void)outputs_at(node);
  put([&](int signal, Eigen::Index p) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * piece.nodes[i].outputs(signal, p);
    return sum;
  });
}

}  // namespace daedalus
