#include "study/reproduction.hpp"

namespace daedalus {

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agree:
      return "agree";
    case Verdict::Misprint:
      return "known misprint";
    case Verdict::Differ:
      return "differ";
    case Verdict::NotAvailable:
      break;
  }
  return "not available";
}

bool Cell::expected() const {
  return verdict == Verdict::Agree || verdict == Verdict::Misprint ||
         (verdict == Verdict::Differ && !reason.empty());
}

Count& Count::operator+=(const Count& other) {
  cells += other.cells;
  agree += other.agree;
  misprints += other.misprints;
  explained += other.explained;
  unexplained += other.unexplained;
  not_available += other.not_available;
  return *this;
}

Count count(const Reproduction& reproduction) {
  Count total;
  for (const Cell& cell : reproduction.cells) {
    ++total.cells;
    switch (cell.verdict) {
      case Verdict::Agree:
        ++total.agree;
        break;
      case Verdict::Misprint:
        ++total.misprints;
        break;
      case Verdict::Differ:
        ++(cell.expected() ? total.explained : total.unexplained);
        break;
      case Verdict::NotAvailable:
        ++total.not_available;
        break;
    }
  }
  return total;
}

Count count(const std::vector<Reproduction>& reproductions) {
  Count total;
  for (const Reproduction& reproduction : reproductions) total += count(reproduction);
  return total;
}

}  // namespace daedalus
