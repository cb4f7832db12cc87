// The first octets of a direction of a TCP connection, looked at after each octet: what is known of the start-up frame
// then must hold to its end, wherever the segments break.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/iwarp/mpa.h"
#include "codec/iwarp/pdu.h"
#include "fuzz/iwarp_checks.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using fuzz::require;

void check_prefix(const StartupPrefix& found, std::size_t size) {
  require(found.wanted == 0 || found.wanted > size);
  require(found.wanted == 0 || !found.error);
  require((found.kind == StartupKind::none) == (found.error.code == ErrorCode::bad_value));
  if (found.wanted == 0) require(found.error || found.is_whole());
  if (found.is_whole()) {
    require(found.kind == StartupKind::request || found.kind == StartupKind::reply);
    require(found.full_len <= size && found.full_len <= max_startup_len);
  }
}

// What was known stays so.
void check_later(const StartupPrefix& before, const StartupPrefix& after) {
  if (before.kind != StartupKind::undecided && !after.error) require(after.kind == before.kind);
  if (before.full_len != 0) require(after.full_len == before.full_len);
  if (before.error) require(after.error == before.error && after.kind == before.kind);
  if (before.is_whole()) require(after.is_whole());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > max_startup_len + 8) return 0;
  StartupPrefix before;
  for (std::size_t len = 0; len <= size; ++len) {
    const std::vector<std::uint8_t> first(data, data + len);
    const StartupPrefix found = look_at_startup(first);
    check_prefix(found, len);
    check_later(before, found);
    // Octets that are not wanted change nothing.
    if (len < before.wanted && !found.error) require(found.wanted == before.wanted || found.kind != before.kind);
    const bool news = found.kind != before.kind || found.wanted != before.wanted || found.error != before.error;
    before = found;
    if (!news && len != size) continue;

    const Pdu pdu = parse_startup(first);
    require((pdu.kind == PduKind::mpa_reply) == (found.kind == StartupKind::reply));
    if (found.is_whole()) {
      fuzz::check_pdu(pdu, found.full_len);
      require(!pdu.error && pdu.captured.size() == found.full_len);
      require(pdu.payload().size() == pdu.payload_len);
    }
    if (found.error) require(pdu.error == found.error);
    if (found.wanted != 0) require(pdu.error.code == ErrorCode::truncated_capture || found.full_len != 0);
    fuzz::check_judgement(pdu);
  }
  return 0;
}
