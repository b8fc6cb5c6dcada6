#include "cli/loopback_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace daedalus::cli {
namespace {

constexpr std::size_t longest_request = 16'384;  // browsers send a kilobyte or two
constexpr int tick = 200;                        // milliseconds between looks at whether to go on
constexpr int patience = 2;                      // seconds for a client to say what it wants

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    default:
      return "Bad Request";
  }
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

// The value of the header Host.
std::string_view host_of(std::string_view request) {
  for (std::size_t at = request.find("\r\n"); at != std::string_view::npos;
       at = request.find("\r\n", at + 2)) {
    std::string_view line = request.substr(at + 2, request.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !same_letters(line.substr(0, colon), "host")) continue;
    line.remove_prefix(colon + 1);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line;
  }
  return {};
}

std::string decoded(std::string_view path) {
  std::string text;
  for (std::size_t k = 0; k < path.size(); ++k) {
    unsigned value = 0;
    const bool escaped =
        path[k] == '%' && k + 2 < path.size() &&
        std::from_chars(path.data() + k + 1, path.data() + k + 3, value, 16).ptr == path.data() + k + 3;
    text += escaped ? static_cast<char>(value) : path[k];
    if (escaped) k += 2;
  }
  return text;
}

// Up to the empty line after the headers; empty if the client says too little or too much.
std::string request_of(int client) {
  std::string request;
  std::array<char, 4096> piece{};
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = recv(client, piece.data(), piece.size(), 0);
    if (count <= 0 || request.size() > longest_request) return {};
    request.append(piece.data(), static_cast<std::size_t>(count));
  }
  return request;
}

void send_all(int client, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = send(client, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// Pages may run what stands in them and ask this server; nothing else.
void send_response(int client, const HttpResponse& response) {
  send_all(
      client,
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
                  "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                  "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src "
                  "'unsafe-inline'; img-src data: blob:; connect-src 'self'\r\nConnection: close\r\n\r\n",
                  response.status, reason(response.status), response.type, response.body.size()));
  send_all(client, response.body);
}

}  // namespace

Result<LoopbackServer> LoopbackServer::open(int port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return fail(fmt::format("no socket can be made: {}", std::strerror(errno)));
  LoopbackServer server(made, port);
  const int yes = 1;
  (void)setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (bind(made, plain, size) != 0 || listen(made, 16) != 0 || getsockname(made, plain, &size) != 0)
    return fail(fmt::format("port {} of 127.0.0.1 cannot be opened: {}", port, std::strerror(errno)));
  server.port_ = ntohs(address.sin_port);
  return server;
}

LoopbackServer::LoopbackServer(LoopbackServer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), port_(other.port_) {}

LoopbackServer::~LoopbackServer() {
  if (socket_ >= 0) close(socket_);
}

void LoopbackServer::serve(const std::function<HttpResponse(const std::string& path)>& answer,
                           const std::function<bool()>& go_on) const {
  while (go_on()) {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, tick) <= 0) continue;
    const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const timeval limit{.tv_sec = patience, .tv_usec = 0};
    (void)setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    answer_one(client, answer);
    close(client);
  }
}

void LoopbackServer::answer_one(int client,
                                const std::function<HttpResponse(const std::string& path)>& answer) const {
  const std::string request = request_of(client);
  if (request.empty()) return;
  const std::string_view host = host_of(request);
  if (host != fmt::format("127.0.0.1:{}", port_) && host != fmt::format("localhost:{}", port_))
    return send_response(client, {.status = 403, .type = "text/plain", .body = "not by this name\n"});
  const std::size_t end = request.find(' ', 4);
  if (!request.starts_with("GET /") || end == std::string::npos)
    return send_response(client, {.status = 400, .type = "text/plain", .body = "only GET\n"});
  const std::string path = request.substr(4, end - 4);
  send_response(client, answer(decoded(path.substr(0, path.find('?')))));
}

}  // namespace daedalus::cli
