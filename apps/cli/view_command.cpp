#include "cli/view_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/loopback_server.hpp"
#include "cli/standard_output.hpp"
#include "cli/text_values.hpp"
#include "results/page.hpp"
#include "results/readers.hpp"

namespace daedalus::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view footer =
    R"(Serves the results (.csv, .json, .mat) and pages (.html) of one folder on 127.0.0.1 and prints the address. A page
follows its file: while a run writes its CSV, the page is drawn anew as the file grows. Nothing listens beyond this machine,
nothing outside of the folder is served, links that lead out of it neither. Ctrl-C ends it.

Examples:
  daedalus run pendulum.mo --until 1000 --out pendulum.csv & daedalus view pendulum.csv
  daedalus view results)";

// Asks once a second whether the file has changed. What is asked for is found by the page's own address.
constexpr std::string_view follow = R"(<script>
(() => {
  const where = location.pathname.replace('/view/', '/stamp/');
  let first = null;
  setInterval(async () => {
    try {
      const now = await (await fetch(where)).text();
      if (first !== null && now !== first) location.reload();
      first = now;
    } catch { /* the server has gone: the page stays */ }
  }, 1000);
})();
</script>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char sign : text) {
    if (sign == '&')
      out += "&amp;";
    else if (sign == '<')
      out += "&lt;";
    else if (sign == '"')
      out += "&quot;";
    else
      out += sign;
  }
  return out;
}

// As a part of an address.
std::string in_address(std::string_view name) {
  std::string out;
  for (const char sign : name) {
    const auto byte = static_cast<unsigned char>(sign);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("-_.~").find(sign) != std::string_view::npos;
    out += plain ? std::string(1, sign) : fmt::format("%{:02X}", byte);
  }
  return out;
}

bool is_page(const fs::path& file) {
  return file.extension() == ".html";
}

bool can_be_shown(const fs::path& file) {
  const auto readers = trajectory_readers();
  return is_page(file) ||
         std::ranges::find(readers, file.extension().string(), &ReaderRow::extension) != readers.end();
}

class Viewer {
 public:
  explicit Viewer(fs::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] HttpResponse answer(const std::string& path) const {
    if (path == "/") return {.body = index()};
    for (const std::string_view kind : {"/view/", "/stamp/"}) {
      if (!path.starts_with(kind)) continue;
      const auto file = file_named(path.substr(kind.size()));
      if (!file) break;
      if (kind == "/stamp/") return {.type = "text/plain", .body = stamp(*file)};
      return {.body = page(*file)};
    }
    return {.status = 404, .type = "text/plain", .body = "there is no such result here\n"};
  }

 private:
  // Only what the folder itself lists: no path of any kind is followed.
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
      if (!entry.is_regular_file(error) || !can_be_shown(entry.path())) continue;
      const fs::path real = fs::weakly_canonical(entry.path(), error);
      if (!error && real.parent_path() == folder_) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
  }

  [[nodiscard]] std::optional<fs::path> file_named(const std::string& name) const {
    const std::vector<fs::path> all = files();
    const auto file =
        std::ranges::find(all, name, [](const fs::path& path) { return path.filename().string(); });
    return file == all.end() ? std::nullopt : std::optional(*file);
  }

  static std::string stamp(const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return fmt::format("{} {}\n", error ? 0 : size,
                       fs::last_write_time(file, error).time_since_epoch().count());
  }

  [[nodiscard]] std::string index() const {
    std::string rows;
    for (const fs::path& file : files()) {
      const std::string name = file.filename().string();
      rows += fmt::format("<li><a href=\"/view/{}\">{}</a></li>\n", in_address(name), escaped(name));
    }
    return document("Results",
                    fmt::format("<h1>{}</h1>\n<ul>\n{}</ul>\n", escaped(folder_.filename().string()),
                                rows.empty() ? "<li>nothing to show yet</li>\n" : rows));
  }

  static std::string document(std::string_view title, std::string_view body) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
        "<style>:root {{ color-scheme: light dark; }} body {{ font: 16px/1.5 system-ui, sans-serif; "
        "max-width: "
        "50rem; margin: 2rem auto; padding: 0 1rem; }}</style></head>\n<body>\n{}</body></html>\n",
        title, body);
  }

  static std::string page(const fs::path& file) {
    auto text = is_page(file) ? read_bytes(file.string()) : drawn(file);
    const std::string name = file.filename().string();
    if (!text) {
      const std::string message =
          escaped(text.error().empty() ? std::string() : text.error().front().message);
      text = document(escaped(name), fmt::format("<h1>{}</h1>\n<p>{}</p>\n", escaped(name), message));
    }
    const std::size_t end = text->rfind("</body>");
    if (end != std::string::npos) text->insert(end, follow);
    return *std::move(text);
  }

  // The page of a run, of what the file holds by now.
  static Result<std::string> drawn(const fs::path& file) {
    const auto reader = find_reader(file.string());
    if (!reader) return std::unexpected(reader.error());
    auto bytes = read_bytes(file.string());
    if (!bytes) return bytes;
    if (file.extension() == ".csv") bytes->resize(bytes->rfind('\n') + 1);  // a row may be half written
    auto trajectory = (*reader)->read(file.string(), *bytes);
    if (!trajectory) return std::unexpected(trajectory.error());
    RunResult result;
    result.summary.status = "file";
    result.summary.t_end = trajectory->times.empty() ? 0 : trajectory->times.back();
    result.trajectory = *std::move(trajectory);
    return run_page({.result = &result, .command = {}, .title = file.filename().string()});
  }

  fs::path folder_;
};

}  // namespace

void add_view_options(CLI::App& app, ViewArguments& arguments) {
  CLI::App* const command = &app;
  command->add_option("PATH", arguments.path, "A result, a page, or a folder of them")
      ->option_text(" ")
      ->required();
  command
      ->add_option_function<std::string>(
          "--port",
          [&arguments](const std::string& text) {
            arguments.port = static_cast<int>(parse_number(text).value_or(0));
          },
          "Port of 127.0.0.1 (default: one that is free)")
      ->type_name("N")
      ->check([](const std::string& text) {
        const auto number = parse_number(text);
        const bool port = number && *number >= 0 && *number <= 65535 && *number == static_cast<int>(*number);
        return port ? std::string() : fmt::format("'{}' is no port", text);
      });
  command->footer(std::string(footer));
}

int execute(const ViewArguments& arguments) {
  std::error_code error;
  const fs::path given = fs::weakly_canonical(arguments.path, error);
  if (error || !fs::exists(given, error))
    return complain({{.message = fmt::format("cannot read '{}': no such file", arguments.path)}});
  const bool is_folder = fs::is_directory(given, error);
  if (!is_folder && !can_be_shown(given))
    return complain(
        {{.message = fmt::format("'{}' is neither a result (.csv, .json, .mat) nor a page (.html)",
                                 arguments.path)}});
  const auto server = LoopbackServer::open(arguments.port);
  if (!server) return complain(server.error());
  const std::string page = is_folder ? "" : "view/" + in_address(given.filename().string());
  const int printed = print(fmt::format("http://127.0.0.1:{}/{}\n", server->port(), page));
  if (printed != exit_ok) return printed;
  std::fflush(stdout);
  catch_interrupts();
  const Viewer viewer(is_folder ? given : given.parent_path());
  server->serve([&viewer](const std::string& path) { return viewer.answer(path); },
                [] { return !interrupted(); });
  return exit_ok;
}

}  // namespace daedalus::cli
