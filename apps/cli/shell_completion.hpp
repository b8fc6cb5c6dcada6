// Completion scripts of shells and the manual page, written from the same tables of options as the help.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace daedalus::cli {

// bash, zsh, fish; man is the manual page.
[[nodiscard]] std::span<const std::string_view> completion_kinds();

// The text for one of these, of a program whose commands have all their options.
[[nodiscard]] std::string completion_text(const CLI::App& program, std::string_view kind);

}  // namespace daedalus::cli
