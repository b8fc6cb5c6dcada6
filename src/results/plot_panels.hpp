// Panels of curves below each other over one axis, with their grids, legends and marks.
#pragma once

#include <string>
#include <vector>

#include "results/picture.hpp"
#include "results/plot_path.hpp"

namespace daedalus {

struct NamedCurve {
  std::string label;
  Colour colour;
  Curve curve;  // of a logarithmic panel: decimal logarithms
  bool dashed = false;
};

struct Panel {
  std::string y_label;
  double height = 0;
  bool logarithmic = false;
  bool legend = true;
  std::vector<NamedCurve> curves;
};

// Instants that something happened at.
struct Marks {
  std::string label;
  Colour colour;
  std::vector<double> times;
};

struct PanelPlot {
  std::string title;
  Range times;
  double width = 900;
  std::vector<Panel> panels;
  std::vector<Marks> marks;  // in every panel; the first legend names them
};

[[nodiscard]] Colour plot_colour(std::size_t number);

[[nodiscard]] Picture panel_picture(const PanelPlot& plot);

}  // namespace daedalus
