// One page of PDF 1.4 with Helvetica, which every reader has: no font is embedded. ISO 32000-1, 7.5
// (structure), 8.5 (paths), 9.4 (text).
#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "results/picture.hpp"
#include "results/xml_text.hpp"

namespace daedalus {
namespace {

constexpr double points_per_pixel = 0.75;  // 96 pixels, 72 points an inch

// A string of WinAnsiEncoding, which is Latin-1 where it matters; what it has not becomes '?'.
std::string pdf_string(std::string_view text) {
  std::string out = "(";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 1 && first >= 0x20 && first < 0x7f) {
      if (first == '(' || first == ')' || first == '\\') out += '\\';
      out += text.front();
    } else if (length == 2 && first < 0xC4U) {
      const unsigned code = ((first & 0x1FU) << 6U) | (static_cast<unsigned char>(text[1]) & 0x3FU);
      out += code >= 0xA0U ? fmt::format("\\{:03o}", code) : "?";
    } else {
      out += '?';
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + ")";
}

class PdfContent {
 public:
  void operator()(const StraightLine& line) {
    use(line.pen);
    add("{:.2f} {:.2f} m {:.2f} {:.2f} l S\n", line.from.x, line.from.y, line.to.x, line.to.y);
  }
  void operator()(const Rectangle& frame) {
    use(frame.pen);
    add("{:.2f} {:.2f} {:.2f} {:.2f} re S\n", frame.corner.x, frame.corner.y, frame.width, frame.height);
  }
  void operator()(const Curves& curves) {
    use(curves.pen);
    for (const Polyline& piece : curves.pieces) {
      for (std::size_t i = 0; i < piece.size(); ++i)
        add("{:.2f} {:.2f} {}\n", piece[i].x, piece[i].y, i == 0 ? 'm' : 'l');
      // A single point is a dot: the caps are round.
      if (piece.size() == 1) add("{:.2f} {:.2f} l\n", piece[0].x, piece[0].y);
    }
    if (!curves.pieces.empty()) add("S\n");
  }
  void operator()(const Label& label) {
    const double width = text_width(label.text, label.size, label.bold);
    const double back = label.anchor == Anchor::Start    ? 0
                        : label.anchor == Anchor::Middle ? width / 2
                                                         : width;
    // The page is upside down for us, so words are turned over.
    const char* turn = label.upright ? "0 -1 -1 0" : "1 0 0 -1";
    const double x = label.at.x - (label.upright ? 0 : back);
    const double y = label.at.y + (label.upright ? back : 0);
    add("BT {} rg /{} {:g} Tf {} {:.2f} {:.2f} Tm {} Tj ET\n", rgb(label.colour), label.bold ? "F2" : "F1",
        label.size, turn, x, y, pdf_string(label.text));
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  static std::string rgb(Colour c) {
    return fmt::format("{:.3f} {:.3f} {:.3f}", c.red / 255.0, c.green / 255.0, c.blue / 255.0);
  }
  void use(const Pen& pen) {
    add("{} RG {:g} w {} d\n", rgb(pen.colour), pen.width, pen.dashed ? "[4 3] 0" : "[] 0");
  }

  std::string text_;
};

std::string file_of(const std::vector<std::string>& objects) {
  // The comment of high bytes tells mail and version control that this is no text.
  std::string file = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n";
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    offsets.push_back(file.size());
    file += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  const std::size_t table = file.size();
  file += fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (const std::size_t offset : offsets) file += fmt::format("{:010} 00000 n \n", offset);
  return file + fmt::format("trailer\n<< /Size {} /Root 1 0 R /Info 7 0 R >>\nstartxref\n{}\n%%EOF\n",
                            objects.size() + 1, table);
}

}  // namespace

std::string picture_pdf(const Picture& picture) {
  PdfContent content;
  for (const auto& item : picture.items) std::visit(content, item);
  const double width = points_per_pixel * picture.width;
  const double height = points_per_pixel * picture.height;
  const std::string stream =
      fmt::format("{0:g} 0 0 -{0:g} 0 {1:.2f} cm 1 j 1 J\n{2}", points_per_pixel, height, content.take());
  const std::string font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>";
  return file_of(
      {"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
       fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.2f} {:.2f}] /Contents 4 0 R /Resources << "
                   "/Font << /F1 5 0 R /F2 6 0 R >> >> >>",
                   width, height),
       fmt::format("<< /Length {} >>\nstream\n{}\nendstream", stream.size(), stream),
       fmt::format(fmt::runtime(font), "Helvetica"), fmt::format(fmt::runtime(font), "Helvetica-Bold"),
       fmt::format("<< /Title {} /Producer (Daedalus) >>", pdf_string(picture.title))});
}

}  // namespace daedalus
