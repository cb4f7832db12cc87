// An SCTP packet, cut or whole: its chunks, their parameters, and what DDP has in them. The first octet is how many
// more octets the packet had on the wire than were captured.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codec/iwarp/sctp.h"
#include "codec/net/sctp.h"
#include "fuzz/check_fields.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::net;

using fuzz::check_fields;
using fuzz::require;

// Every field has a text, and the header is written as it was.
template <Header T>
void check(Bytes octets) {
  const Bytes header = octets.first(header_size<T>);
  check_fields(header_info<T>, header);
  std::array<std::uint8_t, header_size<T>> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(~header[i]);
  require(try_encode(decode<T>(header.template first<header_size<T>>()), out).has_value());
  require(std::memcmp(out.data(), header.data(), out.size()) == 0);
}

// What holds of every item of a walk through octets that begin at first_offset. Returns where the next may begin.
template <Header T>
std::uint64_t check_item(const SctpWalk<T>& walk, Bytes captured, std::uint64_t first_offset,
                         std::uint64_t not_before) {
  const Bytes octets = walk.octets();
  require(walk.offset() >= not_before && (walk.offset() - first_offset) % 4 == 0);
  require(octets.data() == captured.data() + walk.offset());
  require(walk.offset() + octets.size() <= captured.size());
  require(octets.size() >= fixed_part(walk.header().type).size && octets.size() <= walk.header().length);
  require(octets.size() == walk.header().length || walk.error().code == ErrorCode::truncated_capture);
  check<T>(octets);
  return walk.offset() + octets.size();
}

void check_error(const Error& error, std::size_t wire_len) {
  if (!error) return;
  require(error.offset < wire_len);
  require(error.code == ErrorCode::truncated_capture || error.code == ErrorCode::truncated_wire ||
          error.code == ErrorCode::bad_header_length || error.code == ErrorCode::bad_length);
  require(!to_string(error).view().empty());
}

void user_data(SctpPayloadProtocol protocol, Bytes message) {
  if (protocol == SctpPayloadProtocol::ddp_segment && message.size() >= header_size<iwarp::DdpSctp>) {
    check<iwarp::DdpSctp>(message);
  }
  if (protocol != SctpPayloadProtocol::ddp_session_control) return;
  const auto control = iwarp::parse_session_control(message);
  if (!control) return require(!to_string(control.error()).view().empty());
  check<iwarp::DdpSctpControl>(message);
  require(!iwarp::name_of(control->function).empty());
  require(message.size() <= header_size<iwarp::DdpSctpControl> + 512);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + header_size<Sctp>) return 0;
  const Bytes packet(data + 1, size - 1);
  const std::size_t wire_len = packet.size() + data[0];
  check<Sctp>(packet);

  std::vector<std::uint8_t> summed(packet.begin(), packet.end());
  store_be<4>(summed.data() + 8, sctp_checksum(summed));
  require(check_sctp(summed) == ChecksumStatus::good);

  auto chunks = sctp_chunks(packet, wire_len);
  std::uint64_t not_before = header_size<Sctp>;
  while (chunks.next()) {
    not_before = check_item(chunks, packet, header_size<Sctp>, not_before);
    const Bytes chunk = chunks.octets();
    if (chunks.header().type == SctpChunkType::data) {
      check<SctpData>(chunk);
      if (!chunks.error()) {
        user_data(peek<&SctpData::payload_protocol>(chunk.first<header_size<SctpData>>()),
                  chunk.subspan(header_size<SctpData>));
      }
    }
    if (chunks.header().type == SctpChunkType::init) check<SctpInit>(chunk);
    if (chunks.header().type == SctpChunkType::init_ack) check<SctpInitAck>(chunk);
    auto parameters = sctp_parameters(chunk, chunks.header(), chunks.offset());
    const std::uint64_t first = chunks.offset() + header_size<SctpInit>;
    for (std::uint64_t at = first; parameters.next();) {
      at = check_item(parameters, packet, first, at);
      if (parameters.header().type == SctpParameterType::adaptation_indication &&
          parameters.octets().size() >= header_size<iwarp::AdaptationIndication>) {
        check<iwarp::AdaptationIndication>(parameters.octets());
      }
    }
    check_error(parameters.error(), wire_len);
  }
  check_error(chunks.error(), wire_len);
  // Octets are left over only where an error says so.
  if (!chunks.error()) require(wire_len <= header_size<Sctp> || wire_len - not_before < 4);
  return 0;
}
