#include "cli/shell_completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "cli/families.hpp"
#include "cli/stages.hpp"
#include "cli/version.hpp"

namespace daedalus::cli {
namespace {

using Words = std::vector<std::string>;

struct Choice {
  const CLI::Option* option;
  Words names;   // "-q", "--quiet"
  Words values;  // that are known
  bool takes_value;
  bool file;
};

Words words_of(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

Words words_of(const Family& family) {
  Words words{"auto"};
  for (const std::string_view name : family.names()) words.emplace_back(name);
  return words;
}

// Values of options whose help names a family of words.
Words known_values(const std::string& option, const std::string& type) {
  if (option == "--formulation" || option == "--formulations") return words_of(formulation_family());
  if (option == "--integrator" || option == "--integrators") return words_of(integrator_family());
  if (option == "--stop-after") {
    const auto stages = stage_names();
    return words_of(std::span<const std::string_view>(stages.data(), stages.size()));
  }
  if (option == "--codegen") return {"auto", "native", "kernels", "interpreter"};
  if (option == "--coordinates") return {"auto", "joint", "body"};
  if (type.find('|') == std::string::npos || type.find_first_of("[.-") != std::string::npos) return {};
  Words words;  // linear|held, 2|3
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    words.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<Choice> choices_of(const CLI::App& command) {
  std::vector<Choice> choices;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->nonpositional()) continue;
    Words names;
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::string type = option->get_expected_max() > 0 ? option->get_type_name() : "";
    choices.push_back(
        {.option = option,
         .names = names,
         .values = known_values(names.back(), type),
         .takes_value = option->get_expected_max() > 0,
         .file = type.find("FILE") != std::string::npos || type.find("FOLDER") != std::string::npos});
  }
  return choices;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

// The first sentence or so, on one line.
std::string short_text(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text = text.substr(0, text.find("; see 'daedalus"));
  constexpr std::size_t longest = 100;
  if (text.size() <= longest) return text;
  std::size_t cut = text.rfind(' ', longest);
  if (cut == std::string::npos) cut = longest;
  return text.substr(0, cut) + " …";
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string bash_script(const CLI::App& program) {
  Words names;
  std::string values;
  std::string options;
  for (const CLI::App* command : commands_of(program)) {
    const std::string& name = command->get_name();
    names.push_back(name);
    Words flags;
    for (const Choice& choice : choices_of(*command)) {
      flags.insert(flags.end(), choice.names.begin(), choice.names.end());
      if (!choice.takes_value) continue;
      Words patterns;
      for (const std::string& flag : choice.names) patterns.push_back(fmt::format("'{} {}'", name, flag));
      const std::string reply =
          !choice.values.empty()
              ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", fmt::join(choice.values, " "))
          : choice.file ? "COMPREPLY=($(compgen -f -- \"$current\"))"
                        : "COMPREPLY=()";
      values += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "), reply);
    }
    options += fmt::format("    {}) options='{}' ;;\n", name, fmt::join(flags, " "));
  }
  return fmt::format(R"(# Completion of daedalus in bash, written by `daedalus completion bash`.
_daedalus() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" options=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}} $previous" in
{}  esac
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _daedalus daedalus
)",
                     fmt::join(names, " "), values, options);
}

// Within single quotes, and within the brackets and colons of _arguments.
std::string zsh_text(const std::string& text) {
  std::string out = short_text(text);
  for (const std::string_view sign : {"\\", "[", "]", ":"})
    out = with(std::move(out), sign, fmt::format("\\{}", sign));
  return with(std::move(out), "'", "'\\''");
}

std::string zsh_script(const CLI::App& program) {
  std::string names;
  std::string options;
  for (const CLI::App* command : commands_of(program)) {
    names += fmt::format("    '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
    options += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const Choice& choice : choices_of(*command)) {
      const std::string action = !choice.takes_value ? ""
                                 : !choice.values.empty()
                                     ? fmt::format(":value:({})", fmt::join(choice.values, " "))
                                     : fmt::format(":value:{}", choice.file ? "_files" : " ");
      for (const std::string& name : choice.names)
        options +=
            fmt::format("        '*{}[{}]{}' \\\n", name, zsh_text(choice.option->get_description()), action);
    }
    options += "        '*:file:_files'\n      ;;\n";
  }
  return fmt::format(R"(#compdef daedalus
# Completion of daedalus in zsh, written by `daedalus completion zsh`.
_daedalus() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_daedalus "$@"
)",
                     names, options);
}

std::string fish_text(const std::string& text) {
  return with(with(short_text(text), "\\", "\\\\"), "'", "\\'");
}

std::string fish_script(const CLI::App& program) {
  std::string text = "# Completion of daedalus in fish, written by `daedalus completion fish`.\n";
  for (const CLI::App* command : commands_of(program))
    text += fmt::format("complete -c daedalus -f -n __fish_use_subcommand -a {} -d '{}'\n",
                        command->get_name(), fish_text(command->get_description()));
  for (const CLI::App* command : commands_of(program)) {
    for (const Choice& choice : choices_of(*command)) {
      text += fmt::format("complete -c daedalus -n '__fish_seen_subcommand_from {}'", command->get_name());
      for (const std::string& name : choice.names)
        text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                       : fmt::format(" -s {}", name.substr(1));
      if (!choice.values.empty()) text += fmt::format(" -x -a '{}'", fmt::join(choice.values, " "));
      if (choice.values.empty() && choice.takes_value) text += choice.file ? " -r -F" : " -x";
      text += fmt::format(" -d '{}'\n", fish_text(choice.option->get_description()));
    }
  }
  return text;
}

// A line of troff: no line begins with a control character, and hyphens are those of the keyboard.
std::string troff(const std::string& text) {
  std::string out = with(with(text, "\\", "\\e"), "-", "\\-");
  out = with(std::move(out), "\n.", "\n\\&.");
  out = with(std::move(out), "\n'", "\n\\&'");
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string manual_page(const CLI::App& program) {
  std::string text =
      fmt::format(".TH DAEDALUS 1 \"\" \"{}\" \"User commands\"\n.SH NAME\ndaedalus \\- {}\n.SH SYNOPSIS\n",
                  troff(std::string(version_text())),
                  troff(with(with(program.get_description(), "Simulates", "simulates"), ".", "")));
  for (const CLI::App* command : commands_of(program)) {
    Words positionals;
    for (const CLI::Option* option : command->get_options()) {
      if (option->nonpositional()) continue;
      positionals.push_back(option->get_required() ? option->get_name()
                                                   : fmt::format("[{}]", option->get_name()));
    }
    text += fmt::format(".B daedalus {}\n[\\fIOPTIONS\\fR] {}\n.br\n", command->get_name(),
                        fmt::join(positionals, " "));
  }
  for (const CLI::App* command : commands_of(program)) {
    text += fmt::format(".SH \"DAEDALUS {}\"\n{}.\n", command->get_name(), troff(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      if (option->nonpositional()) continue;
      text +=
          fmt::format(".TP\n\\fI{}\\fR\n{}\n", troff(option->get_name()), troff(option->get_description()));
    }
    for (const Choice& choice : choices_of(*command)) {
      const std::string value =
          choice.takes_value ? fmt::format(" \\fI{}\\fR", troff(choice.option->get_type_name())) : "";
      text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", troff(fmt::format("{}", fmt::join(choice.names, ", "))),
                          value, troff(choice.option->get_description()));
    }
    if (const std::string footer = command->get_footer(); !footer.empty())
      text += fmt::format(".PP\n.nf\n{}\n.fi\n", troff(footer));
  }
  return text + fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", troff(program.get_footer()));
}

struct Kind {
  std::string_view name;
  std::string (*write)(const CLI::App&);
};
constexpr std::array<Kind, 4> kinds{
    {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}, {"man", manual_page}}};

}  // namespace

std::span<const std::string_view> completion_kinds() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> made;
    for (const Kind& kind : kinds) made.push_back(kind.name);
    return made;
  }();
  return names;
}

std::string completion_text(const CLI::App& program, std::string_view kind) {
  const auto found = std::ranges::find(kinds, kind, &Kind::name);
  return found == kinds.end() ? std::string() : found->write(program);
}

}  // namespace daedalus::cli
