// Typed indices: an EquationId cannot be passed where a VariableId is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace daedalus {

template <class Tag>
struct Index {
  std::int32_t value = -1;

  constexpr Index() = default;
  constexpr explicit Index(std::int32_t v) : value(v) {}
  constexpr explicit Index(std::size_t v) : value(static_cast<std::int32_t>(v)) {}

  [[nodiscard]] constexpr bool valid() const { return value >= 0; }
  // For subscripting: values[id.at()].
  [[nodiscard]] constexpr std::size_t at() const { return static_cast<std::size_t>(value); }
  constexpr auto operator<=>(const Index&) const = default;
};

using VariableId = Index<struct VariableTag>;  // a scalar variable of a DaeSystem
using EquationId = Index<struct EquationTag>;  // a scalar equation of a DaeSystem
using RelationId = Index<struct RelationTag>;  // a relation that makes events
using SampleId = Index<struct SampleTag>;      // a sample(start, interval) clock
using NodeId = Index<struct NodeTag>;          // a node of an ExprGraph

}  // namespace daedalus

template <class Tag>
struct std::hash<daedalus::Index<Tag>> {
  std::size_t operator()(daedalus::Index<Tag> i) const noexcept { return std::hash<std::int32_t>{}(i.value); }
};
