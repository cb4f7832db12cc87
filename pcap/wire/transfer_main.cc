// Sends bulk data between two processes over TCP by iWARP, and compares checksums: see transfer.h.
//
//   transfer --listen 127.0.0.1:7174 &
//   transfer --connect 127.0.0.1:7174 --by write --bytes 1GiB --crc off
//
// Prints one line; exit code 0: all arrived right, 1: it did not (the line says why), 2: usage.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "pcap/wire/transfer.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::wire;

constexpr std::string_view usage =
    "usage: transfer --listen ADDRESS:PORT [OPTIONS]     port 0: any; the line \"listening on ...\" says which\n"
    "       transfer --connect ADDRESS:PORT [OPTIONS]\n"
    "of the client:\n"
    "  --by write|send|read   how the data go (write)\n"
    "  --bytes N              octets in all, KiB, MiB and GiB may follow (64MiB)\n"
    "  --message N            octets of a message (64KiB)\n"
    "  --seed N               of the data (1)\n"
    "of both:\n"
    "  --markers on|off       ask for Markers in what comes (off)\n"
    "  --crc on|off           ask for CRCs (on)\n"
    "  --segments aligned|packed  TCP segments begin with an FPDU, or are filled (aligned)\n"
    "  --region N             octets of registered memory, and of a round (16MiB)\n"
    "  --depth N              requests that are posted at a time (32)\n"
    "  --emss N               TCP segments of no more octets\n"
    "  --startup-timeout SECONDS, --stall-timeout SECONDS, --linger SECONDS, --time-limit SECONDS\n";

struct Arguments {
  std::string_view listen;
  std::string_view connect;
  TransferPlan plan;
  TransferOptions options;
  TcpOptions tcp;
  Duration time_limit = std::chrono::hours(1);
};

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  const std::string_view unit(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  const unsigned shift = unit.empty() ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : 64;
  if (shift == 64 || value > ~std::uint64_t{0} >> shift) return std::nullopt;
  return value << shift;
}

template <class T>
bool read_number(std::string_view text, T& out, std::uint64_t least, std::uint64_t most) {
  const auto value = number_of(text);
  if (!value || *value < least || *value > most) return false;
  out = static_cast<T>(*value);
  return true;
}

bool read_duration(std::string_view text, Duration& out) {
  std::uint32_t seconds = 0;
  if (!read_number(text, seconds, 1, 1'000'000)) return false;
  out = std::chrono::seconds(seconds);
  return true;
}

// One of two words.
bool read_choice(std::string_view text, std::string_view yes, std::string_view no, bool& out) {
  out = text == yes;
  return text == yes || text == no;
}

bool read_by(std::string_view text, TransferBy& out) {
  for (const TransferBy by : {TransferBy::write, TransferBy::send, TransferBy::read}) {
    if (name_of(by) != text) continue;
    out = by;
    return true;
  }
  return false;
}

bool read_argument(std::string_view name, std::string_view value, Arguments& out) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  TransferOptions& options = out.options;
  if (name == "--listen") return (out.listen = value, !value.empty());
  if (name == "--connect") return (out.connect = value, !value.empty());
  if (name == "--by") return read_by(value, out.plan.by);
  if (name == "--bytes") return read_number(value, out.plan.total_len, 1, gib * gib / 4);
  if (name == "--message") return read_number(value, out.plan.message_len, 1, gib);
  if (name == "--seed") return read_number(value, out.plan.seed, 0, ~std::uint32_t{0});
  if (name == "--markers") return read_choice(value, "on", "off", options.markers);
  if (name == "--crc") return read_choice(value, "on", "off", options.crc);
  if (name == "--segments") {
    bool packed = false;
    if (!read_choice(value, "packed", "aligned", packed)) return false;
    options.segmentation = packed ? Segmentation::packed : Segmentation::aligned;
    return true;
  }
  if (name == "--region") return read_number(value, options.region_len, 1, gib);
  if (name == "--depth") return read_number(value, options.depth, 1, 65536);
  if (name == "--emss") return read_number(value, out.tcp.max_segment_len, 88, 32767);
  if (name == "--startup-timeout") return read_duration(value, options.startup_timeout);
  if (name == "--stall-timeout") return read_duration(value, options.stall_timeout);
  if (name == "--linger") return read_duration(value, options.linger);
  if (name == "--time-limit") return read_duration(value, out.time_limit);
  return false;
}

int tell(std::string_view role, const TransferResult& result) {
  char checksums[64];
  std::snprintf(checksums, sizeof checksums, "crc32 %08x here, %08x there", result.checksum, result.peer_checksum);
  std::cout << role << ": " << (result.good ? "good" : "FAILED") << ", " << result.num_octets << " octets, "
            << checksums;
  if (result.seconds > 0) {
    char rate[48];
    std::snprintf(rate, sizeof rate, ", %.2f Gbit/s",
                  static_cast<double>(result.num_octets) * 8 / 1e9 / result.seconds);
    std::cout << rate;
  }
  if (!result.good) std::cout << ", " << result.fault;
  std::cout << std::endl;
  return result.good ? 0 : 1;
}

int fail(std::string_view role, const SocketError& error) {
  std::cout << role << ": FAILED, " << to_string(error) << std::endl;
  return 1;
}

int serve(const Arguments& arguments, const SocketAddress& address, Time until) {
  auto listener = TcpListener::listen(address, arguments.tcp);
  if (!listener) return fail("server", listener.error());
  const auto at = listener->address();
  if (!at) return fail("server", at.error());
  std::cout << "listening on " << at->text() << std::endl;
  auto stream = listener->accept_until(until);
  if (!stream) return fail("server", stream.error());
  return tell("server", run_transfer_server(std::move(*stream), arguments.options, until));
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  arguments.plan.total_len = 64 * 1024 * 1024;
  bool good = argc > 1;
  for (int i = 1; i < argc && good; i += 2) {
    good = i + 1 < argc && read_argument(argv[i], argv[i + 1], arguments);
  }
  if (!good || arguments.listen.empty() == arguments.connect.empty()) {
    std::cerr << usage;
    return 2;
  }
  const std::string_view role = arguments.listen.empty() ? "client" : "server";
  const auto address = SocketAddress::parse(arguments.listen.empty() ? arguments.connect : arguments.listen);
  if (!address) return fail(role, address.error());
  const Time until = monotonic_now() + arguments.time_limit;
  if (role == "server") return serve(arguments, *address, until);
  auto stream = TcpStream::connect(*address, arguments.tcp);
  if (!stream) return fail(role, stream.error());
  return tell(role, run_transfer_client(std::move(*stream), arguments.plan, arguments.options, until));
}
