#include "errors.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

const char* word(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "";
}

// Messages may hold bytes of the user's file that are no text.
nb::object text(const std::string& bytes) {
  PyObject* decoded = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal(decoded);
}

nb::object errors_module() {
  return nb::module_::import_("daedalus._errors");
}

}  // namespace

nb::list diagnostics_list(const Diagnostics& diagnostics, const SourceMap& sources) {
  nb::list list;
  const nb::object type = errors_module().attr("Diagnostic");
  for (const Diagnostic& each : diagnostics) {
    const LineColumn place = sources.locate(each.span);
    const std::string file = each.span.valid() ? sources.file(each.span.file).name : "";
    list.append(type(word(each.severity), text(each.message), text(file), place.line, place.column,
                     diagnostics_list(each.related, sources)));
  }
  return list;
}

void raise_model_error(const Diagnostics& errors, const SourceMap& sources) {
  std::string rendered = render(errors, sources);
  while (!rendered.empty() && rendered.back() == '\n') rendered.pop_back();
  const nb::object type = errors_module().attr("ModelError");
  const nb::object error = type(text(rendered), diagnostics_list(errors, sources));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace daedalus::python
