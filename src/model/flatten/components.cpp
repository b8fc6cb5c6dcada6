#include "model/flatten/components.hpp"

#include <algorithm>
#include <charconv>

#include "model/flatten/arrays.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/parser.hpp"

namespace daedalus::flatten {

// Nodes of the tree, the root first. Children are in the order of declaration.
struct ComponentTree {
  struct Node {
    std::int32_t symbol = -1;
    std::vector<std::pair<std::string, std::int32_t>> fields;
    std::vector<std::pair<Shape, std::int32_t>> elements;
    const ClassInfo* definition = nullptr;  // of the record that the fields make, once asked for
  };
  std::vector<Node> nodes{1};
  std::unordered_map<std::string, std::int32_t> child;  // "node.name" or "node[1,2]"
};

namespace {

struct Segment {
  std::string_view name;
  Shape subscripts;
};

// "b[2,3]" → b and {2, 3}; false when it is not of this form.
bool read_segment(std::string_view text, Segment& segment) {
  const std::size_t bracket = text.find('[');
  segment.name = text.substr(0, bracket);
  segment.subscripts.clear();
  if (segment.name.empty()) return false;
  if (bracket == std::string_view::npos) return true;
  if (text.back() != ']') return false;
  const char* at = text.data() + bracket + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    std::int32_t number = 0;
    const auto [next, problem] = std::from_chars(at, end, number);
    if (problem != std::errc() || number < 1 || (next != end && *next != ',')) return false;
    segment.subscripts.push_back(number);
    at = next == end ? end : next + 1;
  }
  return !segment.subscripts.empty();
}

std::optional<std::vector<Segment>> segments_of(std::string_view name) {
  std::vector<Segment> segments;
  while (true) {
    const std::size_t dot = name.find('.');
    Segment segment;
    if (!read_segment(name.substr(0, dot), segment)) return std::nullopt;
    segments.push_back(std::move(segment));
    if (dot == std::string_view::npos) return segments;
    name.remove_prefix(dot + 1);
  }
}

std::string field_key(std::int32_t node, std::string_view name) {
  return fmt::format("{}.{}", node, name);
}
std::string element_key(std::int32_t node, std::span<const std::int32_t> subscripts) {
  return fmt::format("{}[{}", node, fmt::join(subscripts, ","));
}

class Builder {
 public:
  explicit Builder(ComponentTree& tree) : tree_(tree) {}

  void add(std::string_view name, std::int32_t symbol) {
    const auto segments = segments_of(name);
    if (!segments) return;
    std::int32_t at = 0;
    for (const Segment& segment : *segments) {
      at = field(at, segment.name);
      if (!segment.subscripts.empty()) at = element(at, segment.subscripts);
    }
    tree_.nodes[static_cast<std::size_t>(at)].symbol = symbol;
  }

 private:
  std::int32_t field(std::int32_t node, std::string_view name) {
    const auto [slot, fresh] = tree_.child.try_emplace(field_key(node, name), count());
    if (fresh) {
      tree_.nodes[static_cast<std::size_t>(node)].fields.emplace_back(name, count());
      tree_.nodes.emplace_back();
    }
    return slot->second;
  }
  std::int32_t element(std::int32_t node, const Shape& subscripts) {
    const auto [slot, fresh] = tree_.child.try_emplace(element_key(node, subscripts), count());
    if (fresh) {
      tree_.nodes[static_cast<std::size_t>(node)].elements.emplace_back(subscripts, count());
      tree_.nodes.emplace_back();
    }
    return slot->second;
  }
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(tree_.nodes.size()); }

  ComponentTree& tree_;
};

ComponentTree& tree_of(Session& session) {
  if (session.components == nullptr) {
    session.components = std::make_shared<ComponentTree>();
    Builder builder(*session.components);
    for (std::size_t i = 0; i < session.symbols.size(); ++i) {
      const Symbol& symbol = session.symbols[i];
      if (symbol.role != Role::Elements && symbol.role != Role::Absent)
        builder.add(symbol.name, static_cast<std::int32_t>(i));
    }
  }
  return *session.components;
}

class Reader {
 public:
  Reader(Frame& frame, SourceSpan span) : frame_(frame), tree_(tree_of(frame.session)), span_(span) {}

  std::optional<Value> read(std::span<const ast::NamePart> parts) { return walk(0, parts); }

 private:
  using Parts = std::span<const ast::NamePart>;

  [[nodiscard]] std::int32_t child(const std::string& key) const {
    const auto found = tree_.child.find(key);
    return found == tree_.child.end() ? -1 : found->second;
  }

  std::optional<Value> walk(std::int32_t node, Parts parts) {
    if (parts.empty()) return value(node);
    const auto segments = segments_of(parts[0].name);
    if (!segments) return std::nullopt;
    for (const Segment& segment : *segments) {
      node = child(field_key(node, segment.name));
      if (node < 0) return std::nullopt;
      if (segment.subscripts.empty()) continue;
      node = child(element_key(node, segment.subscripts));
      if (node < 0) return std::nullopt;
    }
    if (parts[0].subscripts.empty()) return walk(node, parts.subspan(1));
    return walk_subscripts(node, parts);
  }

  std::optional<Value> walk_subscripts(std::int32_t node, Parts parts) {
    Shape subscripts;
    bool known = true;
    for (const ast::ExprRef ref : parts[0].subscripts) {
      const auto number = fold_number(frame_, ref);
      known = known && number.has_value();
      if (known) subscripts.push_back(static_cast<std::int32_t>(*number));
    }
    if (known) {
      if (const std::int32_t one = child(element_key(node, subscripts)); one >= 0)
        return walk(one, parts.subspan(1));
    }
    // Chosen by what only the simulation knows, or a whole range of elements.
    const auto all = elements(node, parts.subspan(1));
    if (!all) return std::nullopt;
    return subscripted(frame_, *all, parts[0].subscripts, span_);
  }

  // All elements of a node, of each what the rest of the name says.
  std::optional<Value> elements(std::int32_t index, Parts rest) {
    const auto& list = tree_.nodes[static_cast<std::size_t>(index)].elements;
    if (list.empty()) return std::nullopt;
    Shape shape(list.front().first.size(), 0);
    for (const auto& [subscripts, child] : list) {
      if (subscripts.size() != shape.size()) return std::nullopt;
      for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = std::max(shape[k], subscripts[k]);
    }
    if (element_count(shape) != list.size()) return std::nullopt;
    std::vector<Value> values(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::size_t position = 0;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        position =
            (position * static_cast<std::size_t>(shape[k])) +
            static_cast<std::size_t>(tree_.nodes[static_cast<std::size_t>(index)].elements[i].first[k]) - 1;
      }
      auto one = walk(tree_.nodes[static_cast<std::size_t>(index)].elements[i].second, rest);
      if (!one) return std::nullopt;
      values[position] = std::move(*one);
    }
    Value all = stacked(values, span_);
    const Shape& inner = shape_of(all);
    shape.insert(shape.end(), inner.begin() + 1, inner.end());
    return reshaped(all, std::move(shape));
  }

  std::optional<Value> value(std::int32_t index) {
    static const ast::NamePart nothing;
    const Nesting nesting(frame_.session, span_);
    const ComponentTree::Node& node = tree_.nodes[static_cast<std::size_t>(index)];
    if (node.symbol >= 0) return read_symbol(frame_, node.symbol, std::span(&nothing, 1), span_);
    if (!node.elements.empty()) return elements(index, {});
    std::vector<Value> fields;
    for (std::size_t i = 0; i < node.fields.size(); ++i) {
      auto one = value(tree_.nodes[static_cast<std::size_t>(index)].fields[i].second);
      if (!one) return std::nullopt;
      fields.push_back(std::move(*one));
    }
    return fields.empty() ? std::nullopt : std::optional(record(definition(index), std::move(fields)));
  }

  // One definition for all records with the same fields, so that arrays of them have elements of one type.
  const ClassInfo* definition(std::int32_t index) {
    ComponentTree::Node& node = tree_.nodes[static_cast<std::size_t>(index)];
    if (node.definition == nullptr) {
      std::vector<std::string> names;
      for (const auto& [name, child] : node.fields) names.push_back(name);
      node.definition = frame_.session.classes.record_of(names);
    }
    return node.definition;
  }

  Frame& frame_;
  ComponentTree& tree_;
  SourceSpan span_;
};

void shift(ast::Expr& e, std::int32_t by, SourceSpan span) {
  const auto move = [&](ast::ExprRef& ref) {
    if (ref >= 0) ref += by;
  };
  e.span = span;
  for (ast::ExprRef& child : e.children) move(child);
  for (ast::NamePart& part : e.parts) {
    for (ast::ExprRef& subscript : part.subscripts) move(subscript);
  }
  for (ast::NamedArgument& named : e.named) move(named.value);
  for (ast::Iterator& iterator : e.iterators) move(iterator.range);
}

// Whether the name has subscripts that are no numbers.
bool has_expression_subscript(std::string_view name) {
  return name.find('[') != std::string_view::npos && !segments_of(name);
}

}  // namespace

void expand_quoted_subscripts(Session& session) {
  std::vector<ast::Expr>& all = session.tree.expressions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != ast::ExprKind::Name) continue;
    const std::string name = all[i].parts[0].name;
    if (!has_expression_subscript(name) || find_symbol(session, name) >= 0) continue;
    const std::int32_t file = session.sources->add(fmt::format("the name '{}'", name), name);
    Result<ast::Ast> parsed = parse_expression(*session.sources, file);
    if (!parsed || parsed->expressions.empty() || parsed->expressions.back().kind != ast::ExprKind::Name)
      continue;
    const auto offset = static_cast<std::int32_t>(all.size());
    for (ast::Expr& e : parsed->expressions) {
      shift(e, offset, all[i].span);
      all.push_back(std::move(e));
    }
    std::vector<ast::NamePart> parts = all.back().parts;
    // Subscripts written after the quotes stay where they were.
    const auto& own = all[i].parts[0].subscripts;
    parts.back().subscripts.insert(parts.back().subscripts.end(), own.begin(), own.end());
    parts.insert(parts.end(), all[i].parts.begin() + 1, all[i].parts.end());
    all[i].parts = std::move(parts);
  }
}

std::optional<Value> read_component(Frame& frame, std::span<const ast::NamePart> parts, SourceSpan span) {
  return Reader(frame, span).read(parts);
}

}  // namespace daedalus::flatten
