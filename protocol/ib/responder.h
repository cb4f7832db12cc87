// The responder of a reliable connection: IBTA vol. 1, 9.7.4, 9.7.5. See machine.h for how it is called.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/ib/machine.h"
#include "protocol/ib/packet.h"
#include "protocol/ib/rc_states.h"
#include "protocol/ib/request_fault.h"

namespace rdmawire::ib {

class Responder {
 public:
  Responder(verbs::QueuePair& qp, const RcConfig& config);

  void start();
  void stop();
  // A request (HV-25), of the service's class. now is not used: a responder has no timers.
  void on_packet(const RxPacket& packet, Time now);
  // The next response. Goes on after a NAK that ended the connection, until it and what was due before it are out.
  bool poll_transmit(TxPacket& out, Time now);
  std::optional<Time> next_deadline() const { return std::nullopt; }
  void on_deadline(Time) {}
  // The consumer posted a receive: a requester that waits for credits may be told (CRD-06).
  void on_receive_posted();

  Psn expected_psn() const { return epsn_; }
  Msn msn() const { return msn_; }
  ResponderState state() const {
    if (over_) return ResponderState::over;
    const unsigned told = rnr_told_ ? 2 : gap_told_ ? 1 : 0;
    return static_cast<ResponderState>(3 * told + static_cast<unsigned>(message_));
  }
  // It takes no requests: not started, or ended.
  bool over() const { return over_; }
  bool answers_in_error() const { return over_ && quirk(Quirk::answer_after_fatal_nak); }
  // Of the last request that was refused, for reports.
  RequestFault last_fault() const { return last_fault_; }

 private:
  // What the requester will be answered, in the order of PSNs (ACK-05).
  enum class ItemKind : std::uint8_t { acknowledge, nak, read, atomic, empty_read };
  struct Item {
    ItemKind kind{};
    Psn psn{};
    Msn msn{};
    Syndrome syndrome{};         // nak
    bool replay = false;         // answers a duplicate
    bool last = false;           // after it the connection is over
    std::uint8_t resource = 0;   // read, atomic, empty_read
    std::uint64_t address = 0;   // read: of what is still to be sent
    std::uint32_t left_len = 0;  // read: octets still to be sent
    bool first_sent = false;     // read: a packet of it has left
    std::uint64_t original = 0;  // atomic
  };
  // Of a read or atomic that was executed, so that a duplicate can be answered (DUP rows).
  struct Resource {
    bool used = false;
    Operation operation{};
    Psn first;
    std::uint32_t num_packets = 1;
    Reth reth{};
    std::uint64_t original = 0;
    Msn msn;
  };
  enum class Message : std::uint8_t { none, send, write };

  bool quirk(Quirk which) const { return config_.quirks.has(which); }

  // responder_checks.cc
  RequestFault check(const RxPacket& packet);
  inline RequestFault check_sequence(const OpcodeInfo& row) const;
  inline RequestFault check_support(const OpcodeInfo& row) const;
  inline RequestFault check_resources(const OpcodeInfo& row) const;
  inline RequestFault check_address(const RxPacket& packet) const;
  RequestFault check_key(const RxPacket& packet);
  inline RequestFault check_length(const RxPacket& packet) const;
  bool is_ignored(RequestFault fault) const;

  void on_duplicate(const RxPacket& packet);
  void repeat_read(const RxPacket& packet);
  void repeat_result(const RxPacket& packet);
  void on_gap(Psn psn);
  void refuse(RequestFault fault, Psn psn);

  void execute(const RxPacket& packet);
  // Each gives the fault that shows only while it is done.
  RequestFault receive_payload(const RxPacket& packet);
  RequestFault finish_receive(const RxPacket& packet);
  // target: where check_key found its first octet to belong, or nullptr: then it is looked for.
  void write_payload(const RxPacket& packet, std::uint8_t* target);
  void execute_read(const RxPacket& packet);
  void execute_atomic(const RxPacket& packet);
  void execute_flush(const RxPacket& packet);
  void execute_atomic_write(const RxPacket& packet);

  std::uint8_t num_resources() const;
  std::size_t num_unanswered() const;
  // The operation was executed and will be answered so: a duplicate can be, too.
  Resource& remember(const RxPacket& packet, Item& answer);
  Resource* find_resource(Psn psn, Operation operation);
  void queue(const Item& item);
  void queue_acknowledge(Psn psn, bool replay);
  // Forgets what answers requests after psn: they will be asked for again (PSN-14).
  void drop_after(Psn psn);
  std::size_t place(std::size_t i) const {
    const std::size_t at = first_item_ + i;
    return at < items_.size() ? at : at - items_.size();
  }
  Item& item(std::size_t i) { return items_[place(i)]; }
  const Item& item(std::size_t i) const { return items_[place(i)]; }
  void pop_item();
  bool send_read(Item& item, TxPacket& out);
  Syndrome acknowledge_syndrome();
  void die(const Item& nak);

  verbs::QueuePair& qp_;
  const RcConfig config_;

  Psn epsn_;
  Msn msn_;
  Psn last_acknowledgeable_;  // of the last SEND or WRITE packet that was accepted
  bool any_acknowledgeable_ = false;
  bool gap_told_ = false;  // the gap before epsn_ was NAKed (PSN-07)
  bool rnr_told_ = false;  // epsn_ was RNR NAKed (RNR-03)
  bool over_ = true;       // stopped, or after a fatal NAK: takes nothing
  std::uint8_t last_credits_ = CreditCode::not_used;
  RequestFault last_fault_ = RequestFault::none;

  std::uint8_t* target_ = nullptr;  // of the request that is looked at: what check_key found, nullptr if nothing

  Message message_ = Message::none;  // of which not all packets came
  Reth write_{};                     // of the message: what is still to come
  // Where that belongs, as check_key found while the keys had that generation; nullptr: not found yet.
  std::uint8_t* write_target_ = nullptr;
  std::uint64_t write_generation_ = 0;
  std::uint64_t received_len_ = 0;  // octets of the SEND

  std::vector<Resource> resources_;
  std::uint8_t next_resource_ = 0;
  std::vector<Item> items_;
  std::size_t first_item_ = 0;
  std::size_t num_items_ = 0;

  Bytes piece_;  // of the packet given last
};

}  // namespace rdmawire::ib
