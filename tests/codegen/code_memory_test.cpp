#include "codegen/code_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/back_ends.hpp"
#include "codegen/models.hpp"
#include "codegen/native.hpp"
#include "codegen/program.hpp"

namespace daedalus {
namespace {

// A line of /proc/self/maps.
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string access;  // "r-xs"
  std::string file;    // device and inode
  [[nodiscard]] bool may(char what) const { return access.find(what) != std::string::npos; }
};

std::vector<Mapping> mappings() {
  std::ifstream in("/proc/self/maps");
  std::vector<Mapping> all;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Mapping mapping;
    std::string offset, device, inode;
    char dash = 0;
    words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.access >> offset >> device >> inode;
    mapping.file = device + ":" + inode;
    all.push_back(mapping);
  }
  return all;
}

// A program that adds one half to a variable of its own, so that no two have the same code.
class Sum {
 public:
  explicit Sum(int variable) : variable_(variable) {
    ExprGraph graph;
    const std::vector<NodeId> roots{graph.add(graph.constant(0.5), graph.variable(VariableId(variable)))};
    program_ = Program::compile(graph, roots, variables, [&](NodeId) { return variable; },
                                {.choice = CodegenChoice::Native});
  }
  [[nodiscard]] bool is_right() const {
    std::vector<double> environment(variables);
    std::iota(environment.begin(), environment.end(), 1.0);
    std::vector<double> result(1), workspace;
    program_.evaluate(environment, result, workspace);
    return (program_.back_end() == "native") == native_available() && result[0] == 1.5 + variable_;
  }

 private:
  static constexpr int variables = 4000;
  int variable_;
  Program program_;
};

bool all_right(const std::vector<Sum>& sums) {
  return std::ranges::all_of(sums, &Sum::is_right);
}

// Code whose bytes are all different from those of its neighbours.
std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<std::byte>(seed * 31 + k * 7);
  return bytes;
}

TEST(MachineCodeMemory, IsNowhereWritableAndExecutable) {
  ExprGraph graph;
  const std::vector<NodeId> roots = test::chain(graph, 300);
  const Tape tape =
      Tape::write(graph, roots, 900, [&](NodeId leaf) { return graph.variable_of(leaf).value; });
  const CompiledTape compiled = compile_to_native(tape);
  ASSERT_NE(compiled.evaluator, nullptr);
  const auto code = reinterpret_cast<std::uintptr_t>(compiled.evaluator->machine_code());
  std::string file;
  for (const Mapping& mapping : mappings()) {
    EXPECT_FALSE(mapping.may('w') && mapping.may('x')) << mapping.begin;
    if (mapping.begin <= code && code < mapping.end) {
      EXPECT_TRUE(mapping.may('x'));
      file = mapping.file;
    }
  }
  // Nor at another address.
  ASSERT_FALSE(file.empty());
  for (const Mapping& mapping : mappings()) EXPECT_FALSE(mapping.may('w') && mapping.file == file);
}

TEST(MachineCodeMemory, OfSmallProgramsIsShared) {
  const CodeMemory::Usage before = CodeMemory::of_process().usage();
  std::vector<Sum> sums;
  for (int k = 0; k < 1000; ++k) sums.emplace_back(k);
  EXPECT_TRUE(all_right(sums));
  const CodeMemory::Usage after = CodeMemory::of_process().usage();
  EXPECT_LE(after.used - before.used, 1000U * 64);  // 20 bytes each, on a line of the cache
}

TEST(MachineCodeMemory, IsUsedAgainOnceReleased) {
  const CodeMemory::Usage before = CodeMemory::of_process().usage();
  std::optional<std::size_t> mapped;
  for (int round = 0; round < 20; ++round) {
    std::vector<Sum> sums;
    for (int k = 0; k < 200; ++k) sums.emplace_back(round + k);
    EXPECT_TRUE(all_right(sums));
    const CodeMemory::Usage during = CodeMemory::of_process().usage();
    EXPECT_EQ(during.used > before.used, native_available());
    EXPECT_EQ(mapped.value_or(during.mapped), during.mapped);
    mapped = during.mapped;
  }
  EXPECT_EQ(CodeMemory::of_process().usage().used, before.used);
}

// Pieces of all sizes come and go; each holds what was put there, whatever happens around it.
TEST(MachineCodeMemory, KeepsPiecesApart) {
  CodeMemory& memory = CodeMemory::of_process();
  const CodeMemory::Usage before = memory.usage();
  struct Held {
    CodeMemory::Piece piece;
    std::vector<std::byte> bytes;
  };
  std::vector<std::unique_ptr<Held>> held(40);
  std::mt19937 random(7);
  for (unsigned k = 0; k < 500; ++k) {
    std::unique_ptr<Held>& place = held[random() % held.size()];
    const std::size_t largest = std::size_t{1} << (4 + random() % 18);  // 16 bytes … 2 MiB
    std::vector<std::byte> bytes = pattern(1 + random() % largest, k);
    std::optional<CodeMemory::Piece> piece = memory.add(bytes);
    ASSERT_TRUE(piece.has_value());
    place = std::make_unique<Held>(Held{std::move(*piece), std::move(bytes)});
    const std::unique_ptr<Held>& other = held[random() % held.size()];
    if (other) {
      ASSERT_TRUE(std::ranges::equal(other->bytes, std::span(other->piece.begin(), other->bytes.size())));
    }
  }
  held.clear();
  EXPECT_EQ(memory.usage().used, before.used);
  EXPECT_LE(memory.usage().mapped, before.mapped + (std::size_t{1} << 20));
}

// Both processes go on compiling and releasing; neither disturbs the other's code.
TEST(MachineCodeMemory, IsNotWrittenByAForkedProcess) {
  std::vector<Sum> sums;
  for (int k = 0; k < 100; ++k) sums.emplace_back(k);
  int to_child[2], to_parent[2];
  ASSERT_EQ(pipe(to_child), 0);
  ASSERT_EQ(pipe(to_parent), 0);
  const auto change = [&sums](int by) {
    sums.erase(sums.begin(), sums.begin() + 50);
    for (int k = 0; k < 50; ++k) sums.emplace_back(by + k);
  };
  char token = 0;
  const pid_t child = fork();
  if (child == 0) {
    change(1000);
    bool right = all_right(sums);
    right = write(to_parent[1], &token, 1) == 1 && right;
    right = read(to_child[0], &token, 1) == 1 && right;  // the parent has released and compiled
    _exit(right && all_right(sums) ? 0 : 1);
  }
  ASSERT_EQ(read(to_parent[0], &token, 1), 1);
  EXPECT_TRUE(all_right(sums));
  change(2000);
  EXPECT_TRUE(all_right(sums));
  ASSERT_EQ(write(to_child[1], &token, 1), 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(all_right(sums));
}

}  // namespace
}  // namespace daedalus
