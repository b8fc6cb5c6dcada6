// A small HTTP server on 127.0.0.1, for pages of this machine's user alone: one request at a time, GET only,
// and only for clients that name it by a loopback name, so that a page from elsewhere cannot reach it by a
// name of its own.
#pragma once

#include <functional>
#include <string>

#include "core/diagnostic.hpp"

namespace daedalus::cli {

struct HttpResponse {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
};

class LoopbackServer {
 public:
  // Port 0: one that is free.
  [[nodiscard]] static Result<LoopbackServer> open(int port);
  LoopbackServer(LoopbackServer&& other) noexcept;
  LoopbackServer& operator=(LoopbackServer&&) = delete;
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  ~LoopbackServer();

  [[nodiscard]] int port() const { return port_; }
  // Answers requests, by their path with %-signs decoded, as long as `go_on` says so.
  void serve(const std::function<HttpResponse(const std::string& path)>& answer,
             const std::function<bool()>& go_on) const;

 private:
  LoopbackServer(int socket, int port) : socket_(socket), port_(port) {}
  void answer_one(int client, const std::function<HttpResponse(const std::string& path)>& answer) const;

  int socket_ = -1;
  int port_ = 0;
};

}  // namespace daedalus::cli
