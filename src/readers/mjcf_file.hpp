// An MJCF file with its includes put in and its defaults known.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "readers/file_reader.hpp"

namespace daedalus::mjcf {

struct Node {
  const xml::Element* element = nullptr;
  int parent = -1;
  std::vector<int> children;
};

// What <compiler> says.
struct Compiler {
  double angle_unit = 0.017453292519943295;  // degrees by default
  std::string euler_sequence = "xyz";
  bool automatic_limits = true;
  enum class FromGeoms { No, Yes, Auto };
  FromGeoms inertia_from_geoms = FromGeoms::Auto;
  double least_mass = 0;
  double least_inertia = 0;
  double total_mass = -1;
  bool strip_path = false;
  bool exact_mesh_inertia = false;
  bool balance_inertia = false;
  bool fit_bounding_box = false;
  std::string mesh_folder;
  int first_group = 0;  // of geoms whose inertia counts
  int last_group = 5;
};

class MjcfFile {
 public:
  explicit MjcfFile(FileReader& reader) : reader_(reader) {}

  // False: what is wrong was told.
  bool load(std::int32_t file);

  [[nodiscard]] const Node& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] const xml::Element& element(int node) const { return *(*this)[node].element; }
  [[nodiscard]] const std::string& tag(int node) const { return element(node).name; }
  [[nodiscard]] const Compiler& compiler() const { return compiler_; }
  [[nodiscard]] FileReader& reader() const { return reader_; }
  // Children of the root with that name; a section may be written in several parts.
  [[nodiscard]] std::vector<int> sections(std::string_view name) const;

  // An attribute of the element, or of its default class: that which it names, or `childclass`, or main.
  [[nodiscard]] const xml::Attribute* find(int node, std::string_view name,
                                           const std::string& childclass = {}) const;
  // The elements of the default classes of an actuator, from the outermost in; of whichever kind.
  [[nodiscard]] std::vector<const xml::Element*> default_actuators(int node) const;
  [[nodiscard]] std::string text(int node, std::string_view name, const std::string& otherwise,
                                 const std::string& childclass = {}) const;
  [[nodiscard]] double number(int node, std::string_view name, double otherwise,
                              const std::string& childclass = {}) const;
  // Up to three coefficients; what is not written is zero.
  [[nodiscard]] std::array<double, 3> polynomial(int node, std::string_view name,
                                                 const std::string& childclass = {}) const;
  [[nodiscard]] Vec3 vector(int node, std::string_view name, const Vec3& otherwise,
                            const std::string& childclass = {}) const;
  [[nodiscard]] bool flag(int node, std::string_view name, bool otherwise,
                          const std::string& childclass = {}) const;
  // pos and any of quat, axisangle, euler, xyaxes, zaxis.
  [[nodiscard]] Frame frame(int node, const std::string& childclass = {}) const;
  [[nodiscard]] Mat3 orientation(int node, const std::string& childclass = {}) const;

 private:
  // With what it inherits.
  struct DefaultClass {
    std::unordered_map<std::string, std::vector<const xml::Element*>> elements;  // by tag; the last counts
    std::vector<const xml::Element*> order;                                      // of the file
  };
  bool put_in(std::int32_t file);
  bool include(const xml::Element& element, int parent);
  void read_compiler();
  void read_defaults();
  void read_default_elements(int node, DefaultClass& into);
  [[nodiscard]] const DefaultClass* class_of(int node, const std::string& childclass) const;
  // The element, or the nearest one of its default class, that has what is wanted.
  template <class Wanted>
  [[nodiscard]] const xml::Element* source(int node, const std::string& childclass,
                                           const Wanted& wanted) const;
  [[nodiscard]] Mat3 euler(const std::vector<double>& angles) const;

  FileReader& reader_;
  std::deque<xml::Document> documents_;
  std::vector<std::string> included_;
  std::vector<Node> nodes_;
  Compiler compiler_;
  std::vector<DefaultClass> classes_;
  std::unordered_map<std::string, std::size_t> class_numbers_;
};

// springyield: springs that give way for good are not simulated.
void refuse_yield(const MjcfFile& file, int node, const std::string& childclass = {});

}  // namespace daedalus::mjcf
