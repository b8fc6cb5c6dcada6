#include <fmt/format.h>

#include <iterator>

#include "results/picture.hpp"
#include "results/plot_path.hpp"
#include "results/xml_text.hpp"

namespace daedalus {
namespace {

std::string hex(Colour c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

std::string pen_attributes(const Pen& pen) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{:g}\"{}", hex(pen.colour), pen.width,
                     pen.dashed ? " stroke-dasharray=\"4 3\"" : "");
}

class SvgWriter {
 public:
  void operator()(const StraightLine& line) {
    add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", line.from.x, line.from.y,
        line.to.x, line.to.y, pen_attributes(line.pen));
  }
  void operator()(const Rectangle& frame) {
    add("<rect class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n",
        frame.corner.x, frame.corner.y, frame.width, frame.height, pen_attributes(frame.pen));
  }
  void operator()(const Curves& curves) {
    add("<path d=\"{}\" {}/>\n", path_text(curves.pieces), pen_attributes(curves.pen));
  }
  void operator()(const Label& label) {
    std::string attributes;
    if (label.anchor != Anchor::Start)
      attributes += fmt::format(" text-anchor=\"{}\"", label.anchor == Anchor::Middle ? "middle" : "end");
    if (label.size != 12) attributes += fmt::format(" font-size=\"{:g}\"", label.size);
    if (label.bold) attributes += " font-weight=\"bold\"";
    if (label.upright)
      attributes += fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", label.at.x, label.at.y);
    if (label.colour != Label{}.colour) attributes += fmt::format(" fill=\"{}\"", hex(label.colour));
    add("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", label.at.x, label.at.y, attributes,
        escape_html(label.text));
  }

  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
  }

  std::string body_;
};

}  // namespace

std::string picture_svg(const Picture& picture) {
  SvgWriter writer;
  for (const auto& item : picture.items) std::visit(writer, item);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
      "<title>{2}</title>\n"
      "<style>path,rect{{fill:none;stroke-linejoin:round}} text{{fill:#333}} .b{{fill:#fff}}</style>\n"
      "<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n{3}</svg>\n",
      picture.width, picture.height, escape_html(picture.title), writer.body());
}

}  // namespace daedalus
