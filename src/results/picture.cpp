#include "results/picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "results/xml_text.hpp"

namespace daedalus {
namespace {

// Advance widths of Helvetica from the space to the tilde, in thousandths of the size.
constexpr std::array<int, 95> helvetica{
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

constexpr std::array<PictureFormat, 3> formats{
    {{".svg", "vectors for the web and for documents", picture_svg},
     {".pdf", "vectors for print and LaTeX", picture_pdf},
     {".png", "pixels, for what takes nothing else", picture_png}}};

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double sum = 0;
  for (const char ch : text) {
    const auto byte = static_cast<unsigned char>(ch);
    if ((byte & 0xC0U) == 0x80U) continue;  // the rest of a UTF-8 sequence
    sum += byte >= 0x20 && byte < 0x7f ? helvetica[byte - 0x20U] : 556;
  }
  // The bold face is about a fifteenth wider.
  return sum * size / 1000 * (bold ? 1.065 : 1);
}

std::span<const PictureFormat> picture_formats() {
  return formats;
}

Result<const PictureFormat*> find_picture_format(const std::string& path) {
  if (path == "-") return formats.data();
  std::vector<std::string_view> known;
  for (const PictureFormat& format : formats) {
    if (path.size() > format.extension.size() && path.ends_with(format.extension)) return &format;
    known.push_back(format.extension);
  }
  return fail(fmt::format("'{}' does not say which picture to draw; its name must end with one of {}", path,
                          fmt::join(known, ", ")));
}

}  // namespace daedalus
