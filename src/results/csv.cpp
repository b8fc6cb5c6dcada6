#include <span>

#include "results/csv_text.hpp"
#include "results/writers.hpp"

namespace daedalus {

Result<void> write_csv(const Trajectory& trajectory, OutputFile& file) {
  constexpr std::size_t block = 1u << 16;
  file.write(csv_header(trajectory.signals));
  const std::span<const double> values = trajectory.values;
  const std::size_t columns = trajectory.signals.size();
  CsvRows rows;
  for (std::size_t row = 0; row < trajectory.rows() && file.ok(); ++row) {
    rows.add(trajectory.times[row], values.subspan(row * columns, columns));
    if (rows.size() < block && row + 1 < trajectory.rows()) continue;
    file.write(rows.text());
    rows.clear();
  }
  return {};
}

}  // namespace daedalus
