#include "cli/export_command.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "advise/plan.hpp"
#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/families.hpp"
#include "cli/loaded_model.hpp"
#include "cli/standard_output.hpp"
#include "cli/text_values.hpp"
#include "cli/version.hpp"
#include "fmu/fmu_variables.hpp"
#include "fmu/model_description.hpp"
#include "fmu/recipe.hpp"
#include "fmu/zip_file.hpp"
#include "results/output_file.hpp"

namespace daedalus::cli {
namespace {

constexpr std::string_view library_name = "libdaedalus_fmi.so";
// Parameters are tried one by one up to so many, as each try reads the model.
constexpr std::size_t most_tried = 50;
constexpr int default_steps = 500;  // of the default experiment

constexpr std::string_view footer =
    R"(The FMU is for Co-Simulation on this kind of machine (Linux, 64 bits). It carries the model and the engine: error
control, events and constraints are held inside of every step of the importer. Inputs of the model are inputs, its
parameters are tunable as far as they can stay open, and signals are outputs. States can be saved and serialised.

Example:
  daedalus export crane.mo --fmu crane.fmu --outputs x,phi)";

// Libraries that every Linux machine brings, or that the importer has loaded already in its own version.
bool is_everywhere(std::string_view name) {
  constexpr std::array<std::string_view, 8> known{"libc.",       "libm.",  "libgcc_s.", "libstdc++.",
                                                  "libpthread.", "libdl.", "librt.",    "ld-linux"};
  return name.empty() || name.starts_with("linux-vdso") ||
         std::ranges::any_of(known, [name](std::string_view k) { return name.starts_with(k); });
}

// Paths of the libraries that the unit's library needs. It is loaded for that: the program itself may carry
// its libraries.
std::vector<std::filesystem::path> libraries_of(const std::filesystem::path& unit_library) {
  std::vector<std::filesystem::path> found;
  void* const loaded = dlopen(unit_library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  (void)dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* to) {
        const std::filesystem::path path = info->dlpi_name;
        const std::string name = path.filename().string();
        if (!is_everywhere(name) && name != library_name)
          static_cast<std::vector<std::filesystem::path>*>(to)->push_back(path);
        return 0;
      },
      &found);
  if (loaded != nullptr) dlclose(loaded);
  return found;
}

Result<std::filesystem::path> unit_library() {
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place : {".", "../lib/daedalus", "../lib"}) {
    auto path = (folder / place / library_name).lexically_normal();
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return fail(fmt::format("'{}' is not beside the program: it is built and installed with it ('make build')",
                          library_name));
}

Result<std::string> read_bytes(const std::filesystem::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) return fail(fmt::format("'{}' cannot be read", path.string()));
  return std::move(text).str();
}

std::string identifier_of(std::string_view name) {
  std::string identifier;
  for (const char ch : name) identifier += std::isalnum(static_cast<unsigned char>(ch)) != 0 ? ch : '_';
  if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier[0])) != 0)
    identifier.insert(0, "m");
  return identifier;
}

constexpr std::string_view platform(FmiVersion version) {
#if defined(__x86_64__)
  return version == FmiVersion::Three ? "x86_64-linux" : "linux64";
#else
  return version == FmiVersion::Three ? "aarch64-linux" : "aarch64-linux";
#endif
}

ModelArguments model_arguments(const ExportArguments& arguments) {
  ModelArguments model{.path = arguments.model, .settings = {}};
  for (const std::string& text : arguments.settings) model.settings.push_back(parse_setting(text).value());
  model.model = arguments.model_name;
  model.keyframe = arguments.keyframe;
  model.coordinates = arguments.coordinates;
  model.floating = arguments.floating;
  return model;
}

// Real parameters that the model can be compiled with as leaves.
std::vector<std::string> tunable_parameters(const ModelText& text, const ModelArguments& model,
                                            const DaeSystem& system) {
  std::vector<std::string> all;
  for (const ReportedValue& reported : system.reported) {
    if (reported.parameter && !reported.attributes.internal) all.push_back(reported.attributes.name);
  }
  const auto loads = [&](const std::vector<std::string>& free) {
    ModelArguments with = model;
    with.free = free;
    return !is_mechanism(text) && system_of(text, with).has_value();
  };
  if (all.empty() || loads(all)) return all;
  if (all.size() > most_tried) return {};
  std::erase_if(all, [&](const std::string& name) { return !loads({name}); });
  if (loads(all)) return all;
  return {};
}

// A model with all that is needed to describe and to carry it.
struct Exported {
  FmuRecipe recipe;
  FmuHeader header;
  FmuVariables variables;
};

Result<Exported> describe(const ExportArguments& arguments, const ModelText& text,
                          const ModelArguments& model, const DaeSystem& system) {
  auto planned = plan(system, {.until = arguments.until,
                               .rtol = arguments.rtol,
                               .atol = arguments.atol,
                               .formulation = arguments.formulation,
                               .integrator = arguments.integrator});
  if (!planned) return std::unexpected(planned.error());
  const RunSettings settings = planned->settings;
  auto engine = compile(*std::move(planned));
  if (!engine) return std::unexpected(engine.error());
  auto variables = fmu_variables(**engine, arguments.outputs);
  if (!variables) return std::unexpected(variables.error());
  Exported exported{.variables = *std::move(variables)};
  FmuRecipe& recipe = exported.recipe;
  recipe.model = std::filesystem::path(arguments.model).filename().string();
  for (const ParameterSetting& setting : model.settings)
    recipe.settings.emplace_back(setting.name, setting.value);
  recipe.free = model.free;
  recipe.outputs = arguments.outputs;
  recipe.model_name = arguments.model_name;
  recipe.keyframe = arguments.keyframe;
  recipe.coordinates = arguments.coordinates;
  recipe.floating = arguments.floating;
  recipe.formulation = arguments.formulation.to_text();
  recipe.integrator = arguments.integrator.to_text();
  recipe.stop = settings.end;
  recipe.rtol = settings.tolerances.relative;
  recipe.atol = settings.tolerances.absolute;
  const std::string& source = text.sources->file(text.file).text;
  const std::string seal = recipe_text(recipe) + std::string(version_text());
  recipe.token =
      fmt::format("{{{:08x}-{:08x}-{:08x}}}", crc32_of(source), crc32_of(seal), crc32_of(source + seal));
  exported.header = {.model_name = system.name,
                     .identifier = identifier_of(system.name),
                     .token = recipe.token,
                     .tool = std::string(version_text()),
                     .start = settings.start,
                     .stop = settings.end,
                     .tolerance = settings.tolerances.relative,
                     .step = (settings.end - settings.start) / default_steps};
  return exported;
}

Result<std::vector<ZipEntry>> entries_of(const Exported& exported, const ModelText& text,
                                         const ExportArguments& arguments) {
  const FmiVersion version = arguments.version == 2 ? FmiVersion::Two : FmiVersion::Three;
  std::vector<ZipEntry> entries{
      {"modelDescription.xml", model_description(version, exported.header, exported.variables)},
      {fmt::format("resources/{}", recipe_file), recipe_text(exported.recipe)},
      {"resources/" + exported.recipe.model, text.sources->file(text.file).text}};
  const auto folder = std::filesystem::path(arguments.model).parent_path();
  for (const std::string& path : *text.included) {
    auto bytes = read_bytes(path);
    if (!bytes) return std::unexpected(bytes.error());
    const auto name =
        std::filesystem::path(path).lexically_relative(folder.empty() ? "." : folder).generic_string();
    const auto same = [&name](const ZipEntry& entry) { return entry.name == "resources/" + name; };
    if (std::ranges::none_of(entries, same)) entries.push_back({"resources/" + name, *std::move(bytes)});
  }
  const auto library = unit_library();
  if (!library) return std::unexpected(library.error());
  const std::string binaries = fmt::format("binaries/{}/", platform(version));
  auto bytes = read_bytes(*library);
  if (!bytes) return std::unexpected(bytes.error());
  entries.push_back({binaries + exported.header.identifier + ".so", *std::move(bytes)});
  for (const auto& path : libraries_of(*library)) {
    auto needed = read_bytes(path);
    if (!needed) return std::unexpected(needed.error());
    entries.push_back({binaries + path.filename().string(), *std::move(needed)});
  }
  return entries;
}

void add_method(CLI::App* command, const std::string& name, Selection& target, const Family& family) {
  command
      ->add_option_function<std::string>(
          name, [&target](const std::string& text) { target = parse_selection(text).value_or(target); },
          fmt::format("See 'daedalus list {}' (default auto)", family.name))
      ->type_name("NAME[:key=value,...]")
      ->check([](const std::string& text) {
        const auto given = parse_selection(text);
        return given ? std::string() : given.error().front().message;
      });
}

void add_number(CLI::App* command, const std::string& name, std::optional<double>& target,
                const std::string& doc) {
  command
      ->add_option_function<std::string>(
          name, [&target](const std::string& text) { target = parse_number(text); }, doc)
      ->type_name("NUMBER")
      ->check([](const std::string& text) { return objection_to_number(text, true); });
}

}  // namespace

void add_export_options(CLI::App& app, ExportArguments& arguments) {
  CLI::App* const command = &app;
  command
      ->add_option("MODEL", arguments.model,
                   "Modelica or Base Modelica file (.mo, .bmo), mechanism (.xml MJCF, .urdf)")
      ->option_text(" ")
      ->required();
  command->add_option("--fmu", arguments.fmu, "The FMU to write")
      ->type_name("FILE.fmu")
      ->required()
      ->check([](const std::string& path) {
        return path.ends_with(".fmu") ? std::string() : fmt::format("'{}' does not end in .fmu", path);
      });
  command->add_option("--fmi", arguments.version, "Version of FMI: 3 or 2 (default 3)")
      ->type_name("2|3")
      ->check(CLI::IsMember({2, 3}));
  const auto add_names = [command](const std::string& option, std::vector<std::string>& names,
                                   const std::string& doc) {
    command
        ->add_option_function<std::string>(
            option, [&names](const std::string& text) { names = split_names(text); }, doc)
        ->type_name("A,B,...");
  };
  add_names("--outputs", arguments.outputs,
            "Signals that are outputs (default: all); the others are local variables");
  add_names("--parameters", arguments.parameters,
            "Parameters that are tunable (default: all that can be); 'none': none");
  command
      ->add_option("--set", arguments.settings,
                   "Set a parameter, or a variable's start value; may be given many times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string& text) {
        return parse_setting(text) ? std::string() : fmt::format("'{}' is not NAME=VALUE", text);
      });
  command->add_option("--model", arguments.model_name, "Which model of the file, where it has several")
      ->type_name("NAME");
  command->add_option("--keyframe", arguments.keyframe,
                      "Start an MJCF model from its keyframe of that name or number");
  command
      ->add_option("--coordinates", arguments.coordinates,
                   "Coordinates of a mechanism: joint, body, or auto (the default)")
      ->check(CLI::IsMember({"joint", "body", "auto"}));
  command->add_flag("--float", arguments.floating, "The root link of a URDF file moves freely");
  add_number(command, "--until", arguments.until,
             "End of the default experiment (default: the model's StopTime, else 1)");
  add_number(command, "--rtol", arguments.rtol,
             "Relative tolerance inside (default: the model's Tolerance, else 1e-6)");
  add_number(command, "--atol", arguments.atol,
             "Absolute tolerance inside (default: 1e-9, or rtol if that is smaller)");
  add_method(command, "--formulation", arguments.formulation, formulation_family());
  add_method(command, "--integrator", arguments.integrator, integrator_family());
  command->footer(std::string(footer));
}

int execute(const ExportArguments& arguments) {
  const std::array<NamedFile, 2> files{{{"MODEL", arguments.model, false}, {"--fmu", arguments.fmu}}};
  if (const std::string objection = objection_to_same_files(files); !objection.empty())
    return complain({{.message = objection}});
  if (arguments.model == "-")
    return complain({{.message = "an FMU carries the model's file: standard input has none"}});
  if (const auto writable = check_writable(arguments.fmu); !writable) return complain(writable.error());
  ModelArguments model = model_arguments(arguments);
  const auto text = read_model(model);
  if (!text) return exit_input;
  auto system = load(*text, model, {});
  if (!system) return exit_input;
  if (arguments.parameters.empty()) {
    model.free = tunable_parameters(*text, model, *system);
  } else if (arguments.parameters != std::vector<std::string>{"none"}) {
    model.free = arguments.parameters;
  }
  if (!model.free.empty()) system = load(*text, model, {.quiet = true});
  if (!system) return exit_input;
  const auto exported = describe(arguments, *text, model, *system);
  if (!exported) return refuse(*text, model, exported.error());
  const auto entries = entries_of(*exported, *text, arguments);
  if (!entries) return complain(entries.error());
  auto file = OutputFile::open(arguments.fmu);
  if (!file) return complain(file.error());
  file->write(zip_archive(*entries));
  const auto closed = file->close();
  return closed ? exit_ok : complain(closed.error());
}

}  // namespace daedalus::cli
