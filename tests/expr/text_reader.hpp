// A small reader of expressions in Modelica's grammar (Modelica 3.6, section 3.2 and appendix A.2.7) that
// evaluates while it reads. The second route by which the text of an expression is judged.
#pragma once

#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "expr/op.hpp"

namespace daedalus::test {

class TextReader {
 public:
  TextReader(std::string_view text, std::function<double(std::string_view)> name)
      : text_(text), name_(std::move(name)) {}

  double read() {
    const double value = expression();
    skip();
    if (!text_.empty()) throw std::runtime_error("left over: " + std::string(text_));
    return value;
  }

 private:
  static double call(Op op, double a, double b = 0, double c = 0) { return info(op).evaluate(a, b, c); }

  void skip() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skip();
    if (!text_.starts_with(token)) return false;
    const bool word = std::isalpha(static_cast<unsigned char>(token[0])) != 0;
    if (word && text_.size() > token.size() &&
        std::isalnum(static_cast<unsigned char>(text_[token.size()])) != 0)
      return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token))
      throw std::runtime_error("expected " + std::string(token) + " at: " + std::string(text_));
  }

  double expression() {
    if (!accept("if")) return disjunction();
    const double condition = expression();
    expect("then");
    const double yes = expression();
    expect("else");
    const double no = expression();
    return call(Op::If, condition, yes, no);
  }
  double disjunction() {
    double value = conjunction();
    while (accept("or")) value = call(Op::Or, value, conjunction());
    return value;
  }
  double conjunction() {
    double value = negation();
    while (accept("and")) value = call(Op::And, value, negation());
    return value;
  }
  double negation() { return accept("not") ? call(Op::Not, relation()) : relation(); }
  double relation() {
    const double value = sum();
    if (accept("<=")) return call(Op::LessEqual, value, sum());
    if (accept("<>")) return call(Op::NotEqual, value, sum());
    if (accept("<")) return call(Op::Less, value, sum());
    if (accept("==")) return call(Op::Equal, value, sum());
    return value;
  }
  double sum() {
    double value = accept("-") ? call(Op::Neg, product()) : product();
    while (true) {
      if (accept("+")) {
        value = call(Op::Add, value, product());
      } else if (accept("-")) {
        value = call(Op::Sub, value, product());
      } else {
        return value;
      }
    }
  }
  double product() {
    double value = factor();
    while (true) {
      if (accept("*")) {
        value = call(Op::Mul, value, factor());
      } else if (accept("/")) {
        value = call(Op::Div, value, factor());
      } else {
        return value;
      }
    }
  }
  double factor() {
    const double base = primary();
    return accept("^") ? call(Op::Pow, base, primary()) : base;
  }
  double primary() {
    if (accept("(")) {
      const double value = expression();
      expect(")");
      return value;
    }
    double number = 0;
    skip();
    const bool digit = !text_.empty() && std::isdigit(static_cast<unsigned char>(text_[0])) != 0;
    if (digit) {
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      return number;
    }
    return name_or_call();
  }
  double name_or_call() {
    std::size_t length = 0;
    while (length < text_.size() && std::isalnum(static_cast<unsigned char>(text_[length])) != 0) ++length;
    const std::string_view name = text_.substr(0, length);
    if (name.empty()) throw std::runtime_error("expected a name at: " + std::string(text_));
    text_.remove_prefix(length);
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (!accept("(")) return name_(name);
    std::vector<double> x{expression()};
    while (accept(",")) x.push_back(expression());
    expect(")");
    const OpInfo* function = find_function(name);
    if (function == nullptr || function->arity != static_cast<int>(x.size())) {
      throw std::runtime_error("no such function: " + std::string(name));
    }
    x.resize(3);
    return function->evaluate(x[0], x[1], x[2]);
  }

  std::string_view text_;
  std::function<double(std::string_view)> name_;
};

}  // namespace daedalus::test
