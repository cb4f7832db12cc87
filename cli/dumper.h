// One run of `rdmawire dump` over its files: packets in, records out, and notes on what could not be shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/other_traffic.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/stream_records.h"
#include "cli/writer.h"

namespace rdmawire::cli {

// To standard error, with the program's name in front.
void complain(std::string_view text);

class Dumper : private StreamRecords::Sink {
 public:
  // count: records that are shown at most.
  Dumper(Output& out, Writer& writer, Selection selection, const ParseOptions& parse_options,
         const reassembly::StreamOptions& stream_options, std::uint64_t count);

  // False if a file could not be read to its end or has an unknown link type.
  bool run(const std::vector<std::string>& files, bool to_terminal);

 private:
  bool done() const { return left_ == 0 || !out_.open(); }
  void fail(std::string_view file, std::string_view text);
  void dump_file(const std::string& file);
  void end_file();
  void dump_packet(const pcap::Packet& packet);
  void show_frame(const pcap::Packet& packet, const Frame& frame);
  void show(const Record& record);
  // A record of that packet; of a PDU in it, if one is added.
  Record record_of(const pcap::Packet& packet, const Frame& frame) const {
    return {packet, frame, state_.file, state_.first, state_.previous};
  }
  void tell_link_type(const pcap::Packet& packet);
  void note(std::string_view text);
  void note_losses();
  void note_no_rdma();

  void pdu(const pcap::Packet& packet, const Frame& frame, const reassembly::StreamPdu& pdu) override;
  void no_pdu(const pcap::Packet& packet, const Frame& frame) override;
  void lost(std::uint32_t conversation, bool from_initiator, const Loss& loss) override;

  // Of the file being read.
  struct State {
    std::string file;
    pcap::Timestamp first;
    std::optional<pcap::Timestamp> previous;
    std::uint64_t num_frames = 0;
    std::uint64_t num_parsed = 0;
    bool any_rdma = false;
    bool told_link_type = false;
    OtherTraffic other;
    std::vector<std::string> losses;  // the first few, in words
    std::uint64_t num_losses = 0;
  };

  Output& out_;
  Writer& writer_;
  Selection selection_;
  ParseOptions parse_options_;
  reassembly::StreamOptions stream_options_;
  std::uint64_t left_;  // records still to be shown
  bool flush_batches_ = false;
  bool good_ = true;
  State state_;
  std::optional<StreamRecords> streams_;
};

}  // namespace rdmawire::cli
