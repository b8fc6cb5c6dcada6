#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "results/output_file.hpp"
#include "study/grid.hpp"
#include "study/report.hpp"
#include "study/targets.hpp"

namespace daedalus {
namespace {

constexpr std::string_view introduction =
    "# The papers' tables and figures, computed now\n\n"
    "Written by `daedalus reproduce all --docs docs`. Every figure comes from a model in `problems/`, run by "
    "the engine as "
    "`daedalus run` runs it: there is no other code behind the tables than what names the runs and subtracts "
    "the exact "
    "solution.\n\n";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char ch : text) {
    if (ch == '|' || ch == '*' || ch == '_' || ch == '<') out += '\\';
    out += ch;
  }
  return out;
}

// How a cell of ours looks: plain when it agrees, else what it is, with the number of the reason.
std::string ours_text(const Cell& cell, const std::vector<std::string>& reasons) {
  std::string text = escaped(cell.ours);
  if (cell.verdict == Verdict::Agree) return text;
  text = fmt::format("**{}** {}", text.empty() ? "–" : text, word(cell.verdict));
  if (cell.reason.empty()) return text;
  return fmt::format("{} [{}]", text, std::ranges::find(reasons, cell.reason) - reasons.begin() + 1);
}

std::string table_line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += fmt::format(" {} |", cell);
  return text + "\n";
}

std::string grid_table(const Reproduction& reproduction, const std::vector<std::string>& reasons) {
  const CellGrid grid(reproduction.cells);
  std::vector<std::string> line{""};
  for (const std::string& column : grid.columns) line.insert(line.end(), {escaped(column), "ours"});
  std::string text = table_line(line) + table_line(std::vector<std::string>(line.size(), "---"));
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    line = {escaped(grid.rows[row])};
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      const Cell* cell = grid.at(row, column);
      line.push_back(cell == nullptr ? "" : escaped(cell->paper));
      line.push_back(cell == nullptr ? "" : ours_text(*cell, reasons));
    }
    text += table_line(line);
  }
  return text;
}

std::string list_table(const Reproduction& reproduction, const std::vector<std::string>& reasons) {
  std::string text = table_line({"", "", "paper", "ours"}) + table_line({"---", "---", "---", "---"});
  for (const Cell& cell : reproduction.cells) {
    text +=
        table_line({escaped(cell.row), escaped(cell.column), escaped(cell.paper), ours_text(cell, reasons)});
  }
  return text;
}

std::string section(const Reproduction& reproduction, const std::string& figures) {
  const auto reasons = reasons_of(reproduction.cells);
  std::string text = fmt::format("### {}\n\n", escaped(reproduction.title));
  text +=
      fits_a_grid(reproduction.cells) ? grid_table(reproduction, reasons) : list_table(reproduction, reasons);
  text += "\n";
  for (std::size_t i = 0; i < reasons.size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, escaped(reasons[i]));
  if (!reasons.empty()) text += "\n";
  text += fmt::format("{}.\n\n", count_text(count(reproduction)));
  for (const std::string& note : reproduction.notes) text += note + "\n\n";
  for (const Figure& figure : reproduction.figures) {
    text += fmt::format("![{}]({}/{}.svg)\n\n", escaped(figure.title), figures, figure.name);
  }
  if (reproduction.commands.empty()) return text;
  text += "<details><summary>The runs</summary>\n\n```sh\n";
  for (const RowCommand& row : reproduction.commands) text += row.command + "\n";
  return text + "```\n\n</details>\n\n";
}

Result<void> write_file(const std::filesystem::path& path, const std::string& text) {
  auto file = OutputFile::open(path.string());
  if (!file) return std::unexpected(file.error());
  file->write(text);
  return file->close();
}

}  // namespace

std::string reproduction_markdown(const std::vector<Reproduction>& reproductions,
                                  const std::string& figures) {
  std::string text(introduction);
  text += table_line(
      {"", "cells", "agree", "known misprints", "differ, reason known", "differ", "not available"});
  text += table_line(std::vector<std::string>(7, "---"));
  std::string body;
  for (const StudyPaper& paper : study_papers()) {
    Count total;
    std::string sections;
    for (const Reproduction& reproduction : reproductions) {
      if (!reproduction.name.starts_with(std::string(paper.name) + "-")) continue;
      total += count(reproduction);
      sections += section(reproduction, figures);
    }
    if (sections.empty()) continue;
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", paper.reference, total.cells, total.agree,
                        total.misprints, total.explained, total.unexplained, total.not_available);
    body += fmt::format("## {}\n\n{}\n\n", paper.reference, paper.note) + sections;
  }
  text += "\n" + body;
  text.pop_back();  // one line break at the end is enough
  return text;
}

Result<void> write_reproduction_docs(const std::vector<Reproduction>& reproductions,
                                     const std::string& folder) {
  const std::filesystem::path root(folder);
  std::error_code error;
  std::filesystem::create_directories(root / "figures", error);
  if (error) return fail(fmt::format("cannot make the folder '{}': {}", folder, error.message()));
  for (const Reproduction& reproduction : reproductions) {
    for (const Figure& figure : reproduction.figures) {
      auto written = write_file(root / "figures" / (figure.name + ".svg"), figure_svg(figure));
      if (!written) return written;
    }
  }
  return write_file(root / "reproduction.md", reproduction_markdown(reproductions, "figures"));
}

}  // namespace daedalus
