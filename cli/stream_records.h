// The records of TCP frames: a PDU of iWARP each, and each frame in which no PDU ended.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "codec/frame.h"
#include "pcap/packet.h"
#include "pcap/reassembly/iwarp_streams.h"

namespace rdmawire::cli {

// The frame has a TCP header as its innermost layer: what it carries only its stream can tell.
inline bool carries_tcp(const Frame& frame) {
  return !frame.layers().empty() && frame.layers().back().layer == Layer::tcp;
}

// Puts the PDUs of the streams together with the frames in which they ended. It copies the frames that are held for
// that, and reads them again when they are shown; it allocates nothing more once it has held as many as it will.
class StreamRecords : private reassembly::PduSink {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    // A PDU that ended in that packet. The PDUs of a direction come in the order of its stream, so a packet's number
    // may be less than that of the one before.
    virtual void pdu(const pcap::Packet& packet, const Frame& frame, const reassembly::StreamPdu& pdu) = 0;
    // A packet in which none ended: as soon as that is known.
    virtual void no_pdu(const pcap::Packet& packet, const Frame& frame) = 0;
    // A direction that ended without having been found again.
    virtual void lost(std::uint32_t conversation, bool from_initiator, const Loss& loss) = 0;
  };

  StreamRecords(const reassembly::StreamOptions& options, const ParseOptions& parse_options, Sink& sink);

  // The next packet of the file whose frame carries TCP. True if its conversation is known as iWARP.
  bool add(const pcap::Packet& packet, const Frame& frame);
  // The file ends.
  void finish();
  // No packet waits for those after it.
  bool holds_none() const { return held_.empty(); }

 private:
  struct Held {
    pcap::Packet packet;  // its data are those below
    std::vector<std::uint8_t> data;
    bool has_pdu = false;
  };
  using HeldPackets = std::unordered_map<std::uint64_t, Held>;  // by their numbers

  void pdu(const reassembly::StreamPdu& pdu) override;
  void keep(std::uint64_t number) override;
  void release(std::uint64_t number) override;
  void lost(std::uint32_t conversation, bool from_initiator, const Loss& loss) override {
    sink_.lost(conversation, from_initiator, loss);
  }
  const Frame& frame_of(const Held& held);

  ParseOptions parse_options_;
  Sink& sink_;
  HeldPackets held_;
  std::vector<HeldPackets::node_type> spare_;  // of packets released, with their memory
  // The packet being added.
  const pcap::Packet* packet_ = nullptr;
  const Frame* frame_ = nullptr;
  bool has_pdu_ = false;
  // A packet held that was read again.
  std::uint64_t reread_number_ = 0;
  Frame reread_;
  reassembly::IwarpStreams streams_;
};

}  // namespace rdmawire::cli
