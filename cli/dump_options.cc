#include "cli/dump_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "cli/suggest.h"

namespace rdmawire::cli {
namespace {

tl::unexpected<std::string> bad(std::string_view option, std::string_view reason) {
  return tl::unexpected(fmt::format("{}: {}", option, reason));
}

// Reads each of the words into out; the first error.
template <class T, class Parse>
std::optional<std::string> parse_all(std::string_view option, const std::vector<std::string>& words, Parse parse,
                                     std::vector<T>& out) {
  for (const std::string& word : words) {
    auto value = parse(word);
    if (!value) return fmt::format("{}: {}", option, value.error());
    out.push_back(*value);
  }
  return std::nullopt;
}

// protocol: "TCP", for the message.
Parsed<std::uint16_t> parse_port(std::string_view text, std::string_view protocol) {
  const auto number = parse_number(text, 65535, fmt::format("a {} port", protocol));
  if (!number) return tl::unexpected(number.error());
  if (*number == 0) return tl::unexpected(fmt::format("0 is not a {} port", protocol));
  return static_cast<std::uint16_t>(*number);
}

// Adds the port to the first `used` unless it is among them; false if there is no room.
template <std::size_t Max>
bool add_port(std::array<std::uint16_t, Max>& ports, std::size_t& used, std::uint16_t port) {
  const auto known = ports.begin() + static_cast<std::ptrdiff_t>(used);
  if (std::find(ports.begin(), known, port) != known) return true;
  if (used == Max) return false;
  ports[used++] = port;
  return true;
}

// What tshark's -d takes, as far as it is of use: "tcp.port==20049,iwarp_mpa". The protocol may be left out.
Parsed<std::uint16_t> parse_decode_as(std::string_view text) {
  constexpr std::string_view table = "tcp.port";
  constexpr std::string_view protocol = "iwarp_mpa";
  const std::size_t equals = text.find("==");
  if (equals == std::string_view::npos) {
    return tl::unexpected(fmt::format("'{}' is not of the form tcp.port==N", text));
  }
  if (const std::string_view given = text.substr(0, equals); given != table) {
    return tl::unexpected(fmt::format("'{}' is not known: {} is (UDP ports of RoCEv2: --udp-port)", given, table));
  }
  std::string_view port = text.substr(equals + 2);
  if (const std::size_t comma = port.find(','); comma != std::string_view::npos) {
    if (const std::string_view given = port.substr(comma + 1); given != protocol) {
      return tl::unexpected(fmt::format("'{}' is not known: {} is, and need not be said", given, protocol));
    }
    port = port.substr(0, comma);
  }
  return parse_port(port, "TCP");
}

// tshark's way to name a character: itself, /t for a tab, /s for a space.
std::optional<char> parse_character(std::string_view text) {
  if (text == "/t" || text == "\\t") return '\t';
  if (text == "/s") return ' ';
  if (text.size() != 1) return std::nullopt;
  return text.front();
}

// One -E NAME=VALUE; what is wrong with it.
std::optional<std::string> apply_option(std::string_view word, FieldsOptions& options) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view{} : word.substr(equals + 1);
  const auto choose = [&]<class T>(T& target, std::initializer_list<std::pair<std::string_view, T>> choices,
                                   std::string_view known) -> std::optional<std::string> {
    for (const auto& [text, meaning] : choices) {
      if (value == text) {
        target = meaning;
        return std::nullopt;
      }
    }
    return fmt::format("-E {}: '{}' is not one of {}", name, value, known);
  };
  const auto character = [&](char& target) -> std::optional<std::string> {
    const auto c = parse_character(value);
    if (!c) return fmt::format("-E {}: '{}' is not one character, /t (tab) or /s (space)", name, value);
    target = *c;
    return std::nullopt;
  };
  if (name == "header") return choose(options.header, {{"y", true}, {"n", false}}, "y, n");
  if (name == "separator") return character(options.separator);
  if (name == "aggregator") return character(options.aggregator);
  if (name == "quote") return choose(options.quote, {{"d", '"'}, {"s", '\''}, {"n", '\0'}}, "d, s, n");
  if (name == "occurrence") {
    return choose(options.occurrence, {{"f", Occurrence::first}, {"l", Occurrence::last}, {"a", Occurrence::all}},
                  "f, l, a");
  }
  constexpr std::array<std::string_view, 5> names{"header", "separator", "aggregator", "quote", "occurrence"};
  return fmt::format("-E: unknown option '{}'{}; known are header, separator, aggregator, quote, occurrence", name,
                     did_you_mean(name, names));
}

Parsed<FieldsOptions> make_fields_options(const DumpArguments& arguments) {
  FieldsOptions options;
  if (arguments.fields.empty()) return bad("-T fields", "name at least one field with -e (--list-fields shows them)");
  for (const std::string& name : arguments.fields) {
    if (!find_property(name) && !Catalog::instance().find(name)) {
      return bad("-e",
                 fmt::format("unknown field '{}'{}; --list-fields shows all", name, did_you_mean(name, all_names())));
    }
  }
  options.names = arguments.fields;
  for (const std::string& word : arguments.field_options) {
    if (auto error = apply_option(word, options)) return tl::unexpected(*error);
  }
  return options;
}

}  // namespace

Parsed<Selection> make_selection(const DumpArguments& arguments) {
  Selection selection;
  selection.all_frames = arguments.all;
  for (const auto& [option, text, bound] :
       {std::tuple{"--from", &arguments.from, &selection.from}, std::tuple{"--to", &arguments.to, &selection.to}}) {
    if (text->empty()) continue;
    auto parsed = parse_bound(*text);
    if (!parsed) return bad(option, parsed.error());
    *bound = *parsed;
  }
  const auto parse_qp = [](std::string_view text) -> Parsed<Qpn> {
    auto number = parse_number(text, 0xFFFFFF, "a queue pair number");
    if (!number) return tl::unexpected(number.error());
    return Qpn{static_cast<std::uint32_t>(*number)};
  };
  if (auto error = parse_all("--qp", arguments.queue_pairs, parse_qp, selection.queue_pairs)) {
    return tl::unexpected(*error);
  }
  if (auto error = parse_all("--psn", arguments.psns, parse_psn_range, selection.psns)) return tl::unexpected(*error);
  if (auto error = parse_all("--src", arguments.sources, parse_address, selection.sources)) {
    return tl::unexpected(*error);
  }
  if (auto error = parse_all("--dst", arguments.destinations, parse_address, selection.destinations)) {
    return tl::unexpected(*error);
  }
  const auto parse_stream = [](std::string_view text) -> Parsed<std::uint32_t> {
    auto number = parse_number(text, std::numeric_limits<std::uint32_t>::max(), "a number of a stream");
    if (!number) return tl::unexpected(number.error());
    return static_cast<std::uint32_t>(*number);
  };
  if (auto error = parse_all("--stream", arguments.streams, parse_stream, selection.streams)) {
    return tl::unexpected(*error);
  }
  std::vector<Operations> operations;
  if (auto error = parse_all("--opcode", arguments.opcodes, parse_operations, operations)) {
    return tl::unexpected(*error);
  }
  for (const Operations& some : operations) {
    if (!selection.operations) selection.operations.emplace();
    *selection.operations |= some;
  }
  return selection;
}

Parsed<ParseOptions> make_parse_options(const DumpArguments& arguments) {
  ParseOptions options;
  std::size_t used = 1;  // the standard port
  for (const std::string& text : arguments.udp_ports) {
    const auto port = parse_port(text, "UDP");
    if (!port) return bad("--udp-port", port.error());
    if (!add_port(options.rocev2_ports, used, *port)) {
      return bad("--udp-port", fmt::format("at most {} ports besides {}", ParseOptions::max_ports - 1, rocev2_port));
    }
  }
  return options;
}

Parsed<reassembly::StreamOptions> make_stream_options(const DumpArguments& arguments) {
  reassembly::StreamOptions options;
  std::size_t used = 0;
  for (const std::string& text : arguments.decode_as) {
    const auto port = parse_decode_as(text);
    if (!port) return bad("--decode-as", port.error());
    if (!add_port(options.iwarp_ports, used, *port)) {
      return bad("--decode-as", fmt::format("at most {} ports", reassembly::StreamOptions::max_ports));
    }
  }
  return options;
}

Parsed<std::uint64_t> make_count(const DumpArguments& arguments) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  if (arguments.count.empty()) return no_limit;
  auto number = parse_number(arguments.count, no_limit, "a number of frames");
  if (!number) return bad("-c", number.error());
  return number;
}

Parsed<std::unique_ptr<Writer>> make_writer(const DumpArguments& arguments, Output& out, bool to_terminal) {
  const bool fields = arguments.format == "fields";
  if (!arguments.format.empty() && !fields) {
    return bad("-T", fmt::format("'{}' is not known: fields is (and --json, --ndjson, -V)", arguments.format));
  }
  const int forms = int{arguments.tree} + int{arguments.json} + int{arguments.ndjson} + int{fields};
  if (forms > 1) return tl::unexpected(std::string("choose one of -V, --json, --ndjson and -T fields"));
  if (!fields && !arguments.fields.empty()) return bad("-e", "only with -T fields");
  if (!fields && !arguments.field_options.empty()) return bad("-E", "only with -T fields");
  if (arguments.hex && !arguments.tree) return bad("--hex", "only with -V");
  if (forms != 0 && !arguments.time.empty())
    return bad("--time", "only with one line a packet; the other forms show all");
  const bool several = arguments.files.size() > 1;
  if (fields) {
    auto options = make_fields_options(arguments);
    if (!options) return tl::unexpected(options.error());
    return make_fields_writer(out, *std::move(options));
  }
  if (arguments.json || arguments.ndjson) {
    return make_json_writer(out, {.array = arguments.json, .file_name = several});
  }
  if (arguments.tree) {
    TreeOptions options{.file_titles = several};
    if (arguments.hex) options.hex_limit = std::numeric_limits<std::size_t>::max();
    return make_tree_writer(out, options);
  }
  LineOptions options{.column_titles = to_terminal, .file_titles = several};
  if (arguments.time == "absolute") {
    options.time = TimeForm::absolute;
  } else if (arguments.time == "delta") {
    options.time = TimeForm::delta;
  } else if (!arguments.time.empty() && arguments.time != "relative") {
    return bad("--time", fmt::format("'{}' is not one of relative, absolute, delta", arguments.time));
  }
  return make_line_writer(out, options);
}

}  // namespace rdmawire::cli
