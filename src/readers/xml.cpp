#include "readers/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>

namespace daedalus::xml {
namespace {

// Limits that end in a message instead of in exhausted memory.
constexpr std::size_t most_elements = 2'000'000;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::pair<std::string_view, char>, 5> entities{
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

void append_utf8(std::string& out, unsigned long code) {
  const auto put = [&out](unsigned long byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | (code >> 6));
    return put(0x80 | (code & 0x3F));
  }
  if (code < 0x10000) {
    put(0xE0 | (code >> 12));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
  }
  put(0x80 | ((code >> 6) & 0x3F));
  put(0x80 | (code & 0x3F));
}

class Parser {
 public:
  Parser(std::string_view text, std::int32_t file) : text_(text), file_(file) {}

  Result<Document> run() {
    while (at_ < text_.size()) {
      if (auto ok = step(); !ok) return std::unexpected(ok.error());
    }
    if (!open_.empty()) {
      const Element& element = document_[open_.back()];
      return fail(fmt::format("the element <{}> is not closed", element.name), element.span);
    }
    if (document_.elements.empty()) return fail("the file has no XML element", span(0, 0));
    return std::move(document_);
  }

 private:
  [[nodiscard]] SourceSpan span(std::size_t begin, std::size_t end) const {
    const auto size = text_.size();
    return {.file = file_,
            .begin = static_cast<std::uint32_t>(std::min(begin, size)),
            .end = static_cast<std::uint32_t>(std::min(std::max(begin, end), size))};
  }
  [[nodiscard]] bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  // What stands at at_: markup, or text.
  Result<void> step() {
    if (text_[at_] != '<') return skip_text();
    if (starts("<!--")) return skip_to("-->", "comment");
    if (starts("<![CDATA[")) return skip_to("]]>", "CDATA section");
    if (starts("<?")) return skip_to("?>", "processing instruction");
    if (starts("<!")) return skip_declaration();
    if (starts("</")) return close_element();
    return open_element();
  }

  Result<void> skip_text() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('<', at_), text_.size());
    if (!open_.empty()) return {};
    const std::string_view between = text_.substr(begin, at_ - begin);
    const bool mark = begin == 0 && between.starts_with("\xEF\xBB\xBF");
    if (std::ranges::all_of(between.substr(mark ? 3 : 0), is_space)) return {};
    return fail(document_.elements.empty() ? "this is not XML: there is text before the first element"
                                           : "there is text after the end of the root element",
                span(begin, begin + 1));
  }

  Result<void> skip_to(std::string_view end, std::string_view what) {
    const std::size_t begin = at_;
    const std::size_t found = text_.find(end, at_ + 2);
    if (found == std::string_view::npos)
      return fail(fmt::format("this {} has no end '{}'", what, end), span(begin, begin + 2));
    at_ = found + end.size();
    return {};
  }

  // <!DOCTYPE …>, with an internal subset in [ ] at most.
  Result<void> skip_declaration() {
    const std::size_t begin = at_;
    int brackets = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[') ++brackets;
      if (c == ']') --brackets;
      if (c == '>' && brackets <= 0) {
        ++at_;
        return {};
      }
    }
    return fail("this declaration has no end '>'", span(begin, begin + 2));
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Result<void> close_element() {
    const std::size_t begin = at_;
    at_ += 2;
    const std::string_view closed = name();
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '>')
      return fail("this closing tag has no end '>'", span(begin, at_));
    ++at_;
    if (open_.empty()) return fail(fmt::format("</{}> closes no element", closed), span(begin, at_));
    const Element& element = document_[open_.back()];
    if (closed != element.name) {
      auto error = fail(fmt::format("</{}> closes <{}>", closed, element.name), span(begin, at_));
      error.error().front().related.push_back({.severity = Severity::Note,
                                               .message = fmt::format("<{}> begins here", element.name),
                                               .span = element.span,
                                               .related = {}});
      return error;
    }
    open_.pop_back();
    return {};
  }

  Result<void> open_element() {
    const std::size_t begin = at_;
    ++at_;
    Element element;
    element.name = name();
    if (element.name.empty())
      return fail("'<' begins no element here; write &lt; for the sign itself", span(begin, begin + 1));
    if (open_.empty() && !document_.elements.empty())
      return fail(fmt::format("<{}> is a second root element; a file has one", element.name),
                  span(begin, at_));
    if (document_.elements.size() >= most_elements)
      return fail(fmt::format("the file has more than {} elements", most_elements), span(begin, at_));
    bool empty = false;
    while (true) {
      skip_space();
      if (at_ >= text_.size())
        return fail(fmt::format("the tag of <{}> has no end '>'", element.name), span(begin, begin + 1));
      if (text_[at_] == '>') break;
      if (starts("/>")) {
        empty = true;
        ++at_;
        break;
      }
      if (auto ok = attribute(element); !ok) return ok;
    }
    ++at_;
    element.span = span(begin, at_);
    element.parent = open_.empty() ? -1 : open_.back();
    const int number = static_cast<int>(document_.elements.size());
    if (element.parent >= 0)
      document_.elements[static_cast<std::size_t>(element.parent)].children.push_back(number);
    document_.elements.push_back(std::move(element));
    if (!empty) open_.push_back(number);
    return {};
  }

  Result<void> attribute(Element& element) {
    const std::size_t begin = at_;
    Attribute attribute;
    attribute.name = name();
    if (attribute.name.empty())
      return fail(fmt::format("'{}' is not expected in the tag of <{}>", text_[at_], element.name),
                  span(begin, begin + 1));
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '=')
      return fail(fmt::format("the attribute '{}' has no value", attribute.name), span(begin, at_));
    ++at_;
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\''))
      return fail(fmt::format("the value of the attribute '{}' is not in quotes", attribute.name),
                  span(begin, at_));
    const char quote = text_[at_++];
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos)
      return fail(fmt::format("the value of the attribute '{}' has no closing quote", attribute.name),
                  span(begin, at_));
    attribute.span = span(at_, end);
    if (auto ok = decode(attribute, end); !ok) return ok;
    at_ = end + 1;
    if (is_repeated(element, attribute.name))
      return fail(fmt::format("the attribute '{}' is given twice", attribute.name), span(begin, end));
    element.attributes.push_back(std::move(attribute));
    return {};
  }

  // Few attributes are looked through; of many the names are kept in a set.
  bool is_repeated(const Element& element, const std::string& name) {
    constexpr std::size_t few = 16;
    if (element.attributes.size() < few) {
      names_.clear();
      return find(element, name) != nullptr;
    }
    if (names_.empty()) {
      for (const Attribute& one : element.attributes) names_.insert(one.name);
    }
    return !names_.insert(name).second;
  }

  // Text up to `end` with its entities resolved.
  Result<void> decode(Attribute& attribute, std::size_t end) {
    for (std::size_t k = at_; k < end; ++k) {
      if (text_[k] == '<')
        return fail(
            fmt::format("'<' within the value of the attribute '{}'; is a quote missing?", attribute.name),
            span(k, k + 1));
      if (text_[k] != '&') {
        attribute.value += text_[k];
        continue;
      }
      const std::size_t stop = text_.substr(0, end).find(';', k);
      if (stop == std::string_view::npos ||
          !append_entity(text_.substr(k + 1, stop - k - 1), attribute.value))
        return fail("'&' begins no known entity; write &amp; for the sign itself", span(k, k + 1));
      k = stop;
    }
    return {};
  }

  static bool append_entity(std::string_view name, std::string& out) {
    for (const auto& [known, sign] : entities) {
      if (name != known) continue;
      out += sign;
      return true;
    }
    if (!name.starts_with('#')) return false;
    const bool hex = name.starts_with("#x");
    name.remove_prefix(hex ? 2 : 1);
    unsigned long code = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    if (error != std::errc() || stop != name.data() + name.size() || code == 0 || code > 0x10FFFF)
      return false;
    append_utf8(out, code);
    return true;
  }

  std::string_view text_;
  std::int32_t file_;
  std::size_t at_ = 0;
  Document document_;
  std::vector<int> open_;
  std::unordered_set<std::string> names_;  // of the attributes of the element that is read
};

}  // namespace

const Attribute* find(const Element& element, std::string_view name) {
  const auto found = std::ranges::find(element.attributes, name, &Attribute::name);
  return found == element.attributes.end() ? nullptr : &*found;
}

Result<Document> parse(const SourceMap& sources, std::int32_t file) {
  return Parser(sources.file(file).text, file).run();
}

}  // namespace daedalus::xml
