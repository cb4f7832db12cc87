// How one end of an MPA connection is to be set up: RFC 5044, 7.1; RFC 6581.
#pragma once

#include <chrono>
#include <cstdint>

#include "codec/iwarp/fpdu.h"
#include "codec/iwarp/mpa.h"
#include "codec/stream.h"
#include "protocol/iwarp/quirks.h"
#include "protocol/time.h"

namespace rdmawire::iwarp {

// Who sends the Request. It does not matter who opened the TCP connection.
enum class Role : std::uint8_t { initiator, responder };

struct MpaConfig {
  // Of the Request, and the highest that a Reply is given for: 1 is RFC 5044 only, which can be tried on another
  // connection with a peer that closes after an enhanced Request.
  //= MPA-6581-10-05
  std::uint8_t revision = max_mpa_revision;
  bool markers = false;  // asks for Markers in what it receives (M)
  //= MPA-5044-1.2-02, MPA-5044-4.4-02, MPA-5044-4.4-03
  bool crc = true;  // asks for CRCs (C); false only if the administrator says so

  // RFC 6581: the Request has S, and these go with it. Without enhanced, revision 2 is not used in a Request.
  bool enhanced = true;
  bool peer_to_peer = true;  // A: the initiator's first FPDU is a ready-to-receive indication
  // Those that it can send, and take.
  bool rtr_send = false;
  bool rtr_write = true;
  bool rtr_read = true;

  // Reads and atomics: how many of the peer's it can hold, and how many of its own it wants outstanding. 0x3FFF leaves
  // it to the ULP. max_ird: as far as IRD can be raised when the peer wants more.
  std::uint16_t ird = 16;
  std::uint16_t ord = 16;
  std::uint16_t max_ird = 64;

  // The most private data of the peer that its ULP takes: octets, the enhanced block not included. More is an
  // improperly formatted frame (rule 9 of 7.1.2).
  std::uint16_t max_private_data_len = iwarp::max_private_data_len;
  // Initiator: an accepting Reply waits for the ULP's word on its private data (rules 3 and 6).
  bool confirm_reply = false;

  // Until the peer's start-up frame is there whole (rules 8 and 10 of 7.1.2).
  Duration startup_timeout = std::chrono::seconds(10);

  Quirks quirks;
};

}  // namespace rdmawire::iwarp
