// The connection manager, recording: see recording.h.
#pragma once

#include "protocol/cm/manager.h"
#include "protocol/vectors/recording.h"

namespace rdmawire::vectors {

class RecordedManager {
 public:
  explicit RecordedManager(const cm::Config& config);
  // For who does more with it than is recorded.
  operator cm::Manager&() {
    recording_.abandon("driven from outside");
    return cm_;
  }

  cm::CmResult<cm::ListenerId> listen(ServiceId service, const cm::ListenParams& params = {});
  cm::CmResult<void> stop_listening(cm::ListenerId listener);
  cm::CmResult<cm::ConnectionId> connect(const cm::ConnectParams& params, Time now);
  cm::CmResult<void> accept(cm::ConnectionId id, const cm::AcceptParams& params, Time now);
  cm::CmResult<void> establish(cm::ConnectionId id, Bytes private_data, Time now);
  cm::CmResult<void> note_communication(cm::ConnectionId id, Time now);
  cm::CmResult<void> delay(cm::ConnectionId id, ib::TimeoutCode service_timeout, Bytes private_data, Time now);
  cm::CmResult<void> reject(cm::ConnectionId id, const cm::RejectParams& params, Time now);
  cm::CmResult<void> disconnect(cm::ConnectionId id, Bytes private_data, Time now,
                                std::optional<mad::TransactionId> transaction = {});
  cm::CmResult<void> load_path(cm::ConnectionId id, const cm::Path& path, Bytes private_data, Time now);
  cm::CmResult<void> answer_path(cm::ConnectionId id, const cm::PathAnswer& answer, Time now);
  cm::CmResult<cm::ConnectionId> resolve(const cm::ResolveParams& params, Time now);
  cm::CmResult<void> answer_resolve(cm::ConnectionId id, const cm::ResolveAnswer& answer, Time now);

  std::optional<cm::Event> poll_event();
  cm::State state(cm::ConnectionId id) const;
  verbs::QpAttributes attributes(cm::ConnectionId id) const;
  std::size_t num_connections() const;
  void on_mad(Bytes octets, const verbs::AddressVector& reply_path, Time now);
  bool poll_transmit(cm::TxMad& out, Time now);
  std::optional<Time> next_deadline() const;
  void on_deadline(Time now);
  cm::Counters counters() const;

 private:
  // Recording does not change the manager.
  mutable Recording recording_;
  cm::Manager cm_;
  Finisher finisher_{recording_};
};

}  // namespace rdmawire::vectors
