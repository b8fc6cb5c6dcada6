#include "cli/reproduce_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/standard_output.hpp"
#include "results/output_file.hpp"
#include "study/report.hpp"
#include "study/targets.hpp"

namespace daedalus::cli {
namespace {

// "[ 3/24] ascher-petzold-4.3", on a terminal and after half a second only.
class StudyProgress {
 public:
  StudyProgress(bool wanted, std::size_t total)
      : enabled_(wanted && isatty(STDERR_FILENO) != 0), total_(total) {}
  StudyProgress(const StudyProgress&) = delete;
  StudyProgress& operator=(const StudyProgress&) = delete;
  ~StudyProgress() { clear(); }

  void begin(std::string name) {
    name_ = std::move(name);
    ++number_;
    began_ = Clock::now();
    next_ = began_ + std::chrono::milliseconds(500);
  }

  void update() {
    const auto now = Clock::now();
    if (!enabled_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    std::fputs(fmt::format("\r[{:2}/{}] {}  {:.0f} s\x1b[K", number_, total_, name_, seconds).c_str(),
               stderr);
  }

  void clear() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
    drawn_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  std::size_t total_;
  std::size_t number_ = 0;
  bool drawn_ = false;
  std::string name_;
  Clock::time_point began_;
  Clock::time_point next_;
};

std::string footer() {
  std::string text = "Targets:\n";
  for (const StudyPaper& paper : study_papers()) {
    text +=
        fmt::format("  {} ({}, {})\n      {}\n", paper.name, paper.short_name, paper.number, paper.reference);
    for (const StudyTarget& target : study_targets()) {
      if (target.paper == paper.name) text += fmt::format("    {:<28}{}\n", target.name(), target.title);
    }
  }
  return text +
         "\nExit code: 0 when everything comes out as expected (known misprints and differences whose reason "
         "is known\n"
         "included), 1 otherwise, 2 when the input is wrong.\n\n"
         "Example:\n  daedalus reproduce ascher-petzold --json tables.json";
}

Result<void> write_text(const std::string& path, const std::string& text) {
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  file->write(text);
  return file->close();
}

Result<void> check_outputs(const ReproduceArguments& arguments) {
  for (const std::string& path : {arguments.json, arguments.markdown}) {
    if (path.empty() || path == "-") continue;
    if (auto writable = check_writable(path); !writable) return writable;
  }
  return {};
}

Result<void> write_outputs(const ReproduceArguments& arguments, const std::vector<Reproduction>& done) {
  if (!arguments.json.empty()) {
    if (auto written = write_text(arguments.json, reproduction_json(done)); !written) return written;
  }
  if (!arguments.markdown.empty()) {
    auto written = write_text(arguments.markdown, reproduction_markdown(done, "figures"));
    if (!written) return written;
  }
  return arguments.docs.empty() ? Result<void>{} : write_reproduction_docs(done, arguments.docs);
}

}  // namespace

void add_reproduce_options(CLI::App& command, ReproduceArguments& arguments) {
  command.add_option("TARGET", arguments.target, "A table or figure, a paper, or all (default: all)")
      ->option_text(" ")
      ->check([](const std::string& text) {
        const auto chosen = select_targets(text);
        return chosen ? std::string() : chosen.error().front().message;
      });
  command.add_option("--json", arguments.json, "Write every cell as JSON; '-' is standard output")
      ->type_name("FILE|-");
  command.add_option("--markdown", arguments.markdown, "Write the tables as one Markdown page")
      ->type_name("FILE");
  command
      .add_option("--docs", arguments.docs, "Write reproduction.md, and the figures as SVG, into a folder")
      ->type_name("FOLDER");
  command.add_flag("-q,--quiet", arguments.quiet, "Only the line of counts, not the tables");
  command.footer(footer());
}

int execute(const ReproduceArguments& arguments) {
  const auto targets = select_targets(arguments.target);
  if (!targets) return complain(targets.error());
  if (const auto writable = check_outputs(arguments); !writable) return complain(writable.error());
  const bool to_terminal = arguments.json != "-" && arguments.markdown != "-";
  catch_interrupts();
  StudyProgress progress(true, targets->size());
  std::vector<Reproduction> done;
  for (const StudyTarget* target : *targets) {
    progress.begin(target->name());
    done.push_back(reproduce(*target, [&progress] {
      progress.update();
      return !interrupted();
    }));
    progress.clear();
    if (interrupted()) return exit_numerics;
    if (!to_terminal || arguments.quiet) continue;
    if (const int code = print(reproduction_text(done.back()) + "\n"); code != exit_ok) return code;
  }
  if (const auto written = write_outputs(arguments, done); !written) return complain(written.error());
  const Count total = count(done);
  if (to_terminal) {
    if (const int code = print(count_text(total) + "\n"); code != exit_ok) return code;
  }
  return total.as_expected() ? exit_ok : exit_numerics;
}

}  // namespace daedalus::cli
