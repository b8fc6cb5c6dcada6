// Threads that wait for work that comes often and is short: a tenth of a millisecond and more.
#pragma once

#include <cstddef>

namespace daedalus {

// Calls work(data, k) for k = 0 … count-1, each once, on up to `threads` threads, and returns when all are
// done. Who is free takes the next, the caller, too: a thread that the system does not let run delays nobody.
// Threads are made when they are first needed and kept; nothing is allocated after that. When the threads are
// at work for somebody else, or were lost in a fork, the caller does it all.
void run_in_parallel(std::size_t threads, std::size_t count, void (*work)(const void* data, std::size_t k),
                     const void* data);

// As many threads as this machine has processors if `wanted` is 0; else as many as wanted, within reason.
[[nodiscard]] std::size_t usable_threads(std::size_t wanted);

}  // namespace daedalus
