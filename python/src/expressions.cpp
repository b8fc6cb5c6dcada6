// daedalus.Expr: Python's operators and functions on tapes.
#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "errors.hpp"
#include "pickle.hpp"
#include "symbol.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

nb::object not_implemented() {
  return nb::borrow(Py_NotImplemented);
}

Symbol append(const std::shared_ptr<Tape>& tape, const TapeEntry& entry) {
  return {tape, tape->append(entry)};
}

Symbol apply_op(const std::shared_ptr<Tape>& tape, Op op, std::array<std::int32_t, 3> args) {
  return append(tape, {.kind = TapeKind::Apply, .op = op, .args = args});
}

// self (op) other, or other (op) self.
template <class Make>
nb::object binary(const Symbol& self, nb::handle other, bool reversed, Make make) {
  const auto entry = entry_of(self.tape, other);
  if (!entry) return not_implemented();
  return nb::cast(reversed ? make(self.tape, *entry, self.entry) : make(self.tape, self.entry, *entry));
}

auto arithmetic(Op op) {
  return [op](const std::shared_ptr<Tape>& tape, std::int32_t a, std::int32_t b) {
    return apply_op(tape, op, {a, b, -1});
  };
}

auto relation(TapeKind kind) {
  return [kind](const std::shared_ptr<Tape>& tape, std::int32_t a, std::int32_t b) {
    return append(tape, {.kind = kind, .args = {a, b, -1}});
  };
}

template <class Class, class Make>
void bind_binary(Class& type, const char* name, bool reversed, Make make) {
  type.def(
      name,
      [reversed, make](const Symbol& self, nb::handle other) { return binary(self, other, reversed, make); },
      nb::arg("other").none());
}

struct Operator {
  const char* name;
  const char* reversed;
  Op op;
};
constexpr std::array<Operator, 7> operators{{{"__add__", "__radd__", Op::Add},
                                             {"__sub__", "__rsub__", Op::Sub},
                                             {"__mul__", "__rmul__", Op::Mul},
                                             {"__truediv__", "__rtruediv__", Op::Div},
                                             {"__pow__", "__rpow__", Op::Pow},
                                             {"__and__", "__rand__", Op::And},
                                             {"__or__", "__ror__", Op::Or}}};

const OpInfo& function_named(const std::string& name, std::size_t arguments) {
  const OpInfo* found = find_function(name);
  if (found == nullptr) throw nb::type_error(fmt::format("there is no function '{}'", name).c_str());
  if (static_cast<std::size_t>(found->arity) != arguments) {
    throw nb::type_error(fmt::format("{} takes {} argument{}, not {}", name, found->arity,
                                     found->arity == 1 ? "" : "s", arguments)
                             .c_str());
  }
  return *found;
}

std::shared_ptr<Tape> tape_among(const nb::args& arguments) {
  for (const nb::handle argument : arguments) {
    if (nb::isinstance<Symbol>(argument)) return nb::cast<const Symbol&>(argument).tape;
  }
  return nullptr;
}

// sin, atan2, …: of numbers a number, of expressions an expression.
nb::object apply_function(const std::string& name, const nb::args& arguments) {
  const OpInfo& op = function_named(name, arguments.size());
  const auto tape = tape_among(arguments);
  std::array<std::int32_t, 3> entries{-1, -1, -1};
  std::array<double, 3> numbers{0, 0, 0};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (tape != nullptr) {
      entries[k] = require_entry(tape, arguments[k], name.c_str());
      continue;
    }
    const auto number = number_in(arguments[k]);
    if (!number) throw nb::type_error(fmt::format("{} takes a number or an expression", name).c_str());
    numbers[k] = *number;
  }
  if (tape != nullptr) return nb::cast(apply_op(tape, op.op, entries));
  return nb::float_(op.evaluate(numbers[0], numbers[1], numbers[2]));
}

nb::object choose(nb::handle condition, nb::handle yes, nb::handle no) {
  const nb::args arguments = nb::steal<nb::args>(nb::make_tuple(condition, yes, no).release());
  const auto tape = tape_among(arguments);
  if (tape == nullptr) return nb::borrow(nb::cast<bool>(nb::bool_(nb::borrow(condition))) ? yes : no);
  return nb::cast(apply_op(tape, Op::If,
                           {require_entry(tape, condition, "where"), require_entry(tape, yes, "where"),
                            require_entry(tape, no, "where")}));
}

Symbol wrapped(const Symbol& inner, TapeKind kind) {
  return append(inner.tape, {.kind = kind, .args = {inner.entry, -1, -1}});
}

void bind_operators(nb::class_<Symbol>& type) {
  for (const Operator& row : operators) {
    bind_binary(type, row.name, false, arithmetic(row.op));
    bind_binary(type, row.reversed, true, arithmetic(row.op));
  }
  bind_binary(type, "__lt__", false, relation(TapeKind::Less));
  bind_binary(type, "__le__", false, relation(TapeKind::LessEqual));
  bind_binary(type, "__gt__", true, relation(TapeKind::Less));
  bind_binary(type, "__ge__", true, relation(TapeKind::LessEqual));
  type.def(
      "__eq__",
      [](const Symbol& self, nb::handle other) -> nb::object {
        const auto entry = entry_of(self.tape, other);
        return entry ? nb::cast(SymbolEquation{self, {self.tape, *entry}}) : not_implemented();
      },
      nb::arg("other").none());
  type.def("__hash__", [](const Symbol& self) {
    return std::hash<const void*>()(self.tape.get()) ^ std::hash<std::int32_t>()(self.entry);
  });
  type.def("__neg__", [](const Symbol& self) { return apply_op(self.tape, Op::Neg, {self.entry, -1, -1}); });
  type.def("__pos__", [](const Symbol& self) { return self; });
  type.def("__abs__", [](const Symbol& self) { return apply_op(self.tape, Op::Abs, {self.entry, -1, -1}); });
  type.def("__invert__", [](const Symbol& self) {
    return apply_op(self.tape, Op::Not, {self.entry, -1, -1});
  });
  type.def("__bool__", [](const Symbol& self) -> bool {
    throw nb::type_error(
        fmt::format("whether {} holds is not known before the run; use daedalus.where(condition, a, b) for a "
                    "choice, & | ~ for and, or, not",
                    text_of(*self.tape, self.entry))
            .c_str());
  });
  type.def("__float__", [](const Symbol& self) -> double {
    throw nb::type_error(
        fmt::format(
            "{} has no value before the run, so it cannot be stored in an array of numbers or be given to "
            "a function of numbers, as those of math; use those of daedalus or NumPy, daedalus.interp for "
            "tables, and numpy.zeros_like(y) or lists for what shall hold expressions",
            text_of(*self.tape, self.entry))
            .c_str());
  });
  type.def("__repr__", [](const Symbol& self) { return text_of(*self.tape, self.entry); });
  type.def_prop_ro(
      "name", [](const Symbol& self) { return self.tape->leaf_name(self.entry); },
      "The name of a variable or parameter; empty for other expressions.");
}

}  // namespace

std::optional<double> number_in(nb::handle object) {
  PyObject* o = object.ptr();
  if (PyFloat_Check(o)) return PyFloat_AsDouble(o);
  if (!PyLong_Check(o)) {
    if (!nb::hasattr(object, "__float__")) return std::nullopt;
    if (nb::hasattr(object, "ndim") && nb::cast<int>(object.attr("ndim")) > 0) return std::nullopt;
  }
  const nb::object as_float = nb::steal(PyNumber_Float(o));
  if (!as_float.is_valid()) {
    PyErr_Clear();  // a whole number too large for a double, an array of objects, …
    return std::nullopt;
  }
  return PyFloat_AsDouble(as_float.ptr());
}

std::optional<std::int32_t> entry_of(const std::shared_ptr<Tape>& tape, nb::handle object) {
  if (nb::isinstance<Symbol>(object)) {
    const auto& symbol = nb::cast<const Symbol&>(object);
    if (symbol.tape != tape) {
      raise_model_error({{.severity = Severity::Error,
                          .message = fmt::format("{} belongs to another model, and expressions of two models "
                                                 "cannot be mixed",
                                                 text_of(*symbol.tape, symbol.entry)),
                          .span = {},
                          .related = {}}});
    }
    return symbol.entry;
  }
  const auto number = number_in(object);
  return number ? std::optional(tape->number(*number)) : std::nullopt;
}

std::int32_t require_entry(const std::shared_ptr<Tape>& tape, nb::handle object, const char* what) {
  const auto entry = entry_of(tape, object);
  if (!entry) {
    throw nb::type_error(fmt::format("{} takes an expression or a number, not {}", what,
                                     nb::cast<std::string>(nb::repr(object.type())))
                             .c_str());
  }
  return *entry;
}

void bind_expressions(nb::module_& module) {
  nb::class_<SymbolEquation>(module, "Equation", "left == right, to be given to Model.equation().")
      .def_ro("left", &SymbolEquation::left)
      .def_ro("right", &SymbolEquation::right)
      .def("__bool__",
           [](const SymbolEquation&) -> bool {
             throw nb::type_error("an equation is neither true nor false; give it to Model.equation()");
           })
      .def("__repr__", [](const SymbolEquation& self) {
        return text_of(*self.left.tape, self.left.entry) +
               " == " + text_of(*self.right.tape, self.right.entry);
      });
  nb::class_<Tape>(module, "Tape")
      .def("__getstate__", [](const Tape& tape) { return state_of(tape); })
      .def("__setstate__", [](Tape& self, const nb::tuple& state) { new (&self) Tape(tape_in(state)); });
  nb::class_<Symbol> type(module, "Expr", "An expression of a model.");
  type.def("__getstate__", [](const Symbol& self) { return nb::make_tuple(self.tape, self.entry); })
      .def("__setstate__", [](Symbol& self, const nb::tuple& state) {
        new (&self) Symbol{nb::cast<std::shared_ptr<Tape>>(state[0]), nb::cast<std::int32_t>(state[1])};
      });
  bind_operators(type);
  module.def("apply", &apply_function);
  module.def("where", &choose, nb::arg("condition"), nb::arg("yes"), nb::arg("no"));
  module.def("der", [](const Symbol& s) { return wrapped(s, TapeKind::Derivative); });
  module.def("pre", [](const Symbol& s) { return wrapped(s, TapeKind::Previous); });
  module.def("no_event", [](const Symbol& s) { return wrapped(s, TapeKind::NoEvent); });
  module.def("functions", [] {
    std::vector<std::tuple<std::string, int>> rows;
    for (const OpInfo& op : all_ops()) {
      if (find_function(op.name) != nullptr) rows.emplace_back(op.name, op.arity);
    }
    return rows;
  });
}

}  // namespace daedalus::python
