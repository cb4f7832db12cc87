// Base Transport Header: IBTA vol. 1, 9.2; FECN and BECN: A10.
#pragma once

#include "codec/base/layout.h"
#include "codec/ib/opcode.h"

namespace rdmawire::ib {

struct Bth {
  Opcode opcode{};
  bool solicited{};          // SE
  bool migrated{};           // M (MigReq); the normal value without path migration is true
  std::uint8_t pad_count{};  // octets after the payload, 0 to 3
  std::uint8_t version{};    // TVer, 0
  PKey p_key{};
  //= HV-22
  bool fecn{};  // native InfiniBand only (A10); ignored in RoCEv2
  bool becn{};
  std::uint8_t reserved6{};  //= HV-21
  Qpn dest_qp{};
  bool ack_request{};        // A
  std::uint8_t reserved7{};  //= HV-21
  Psn psn{};
};

constexpr auto layout(std::type_identity<Bth>) {
  return Layout(Layer::bth,  //
                field<&Bth::opcode, 8>("infiniband.bth.opcode", "Operation code"),
                field<&Bth::solicited, 1>("infiniband.bth.se", "Solicited event"),
                field<&Bth::migrated, 1>("infiniband.bth.m", "Migration request"),
                field<&Bth::pad_count, 2>("infiniband.bth.padcnt", "Pad count"),
                field<&Bth::version, 4>("infiniband.bth.tver", "Transport header version"),
                field<&Bth::p_key, 16>("infiniband.bth.p_key", "Partition key"),
                field<&Bth::fecn, 1>("rdma.bth.fecn", "Forward explicit congestion notification"),
                field<&Bth::becn, 1>("rdma.bth.becn", "Backward explicit congestion notification"),
                field<&Bth::reserved6, 6>("rdma.bth.reserved6", "Reserved (6 bits)").reserved(),
                field<&Bth::dest_qp, 24>("infiniband.bth.destqp", "Destination queue pair"),
                field<&Bth::ack_request, 1>("infiniband.bth.a", "Acknowledge request"),
                field<&Bth::reserved7, 7>("infiniband.bth.reserved7", "Reserved (7 bits)").reserved(),
                field<&Bth::psn, 24>("infiniband.bth.psn", "Packet sequence number"));
}
static_assert(header_size<Bth> == 12);

}  // namespace rdmawire::ib
