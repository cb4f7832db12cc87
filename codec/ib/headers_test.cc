// Octets of real packets: frames of Linux rxe (testdata/captures), ConnectX-4 Lx and the IBTA sample packets
// (testdata/reference/vectors.json). Headers that no capture here has are spelled out field by field.
#include "codec/ib/headers.h"

#include <boost/test/unit_test.hpp>

#include "codec/base/header_test.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::ib;
using test::check_header;

}  // namespace

BOOST_AUTO_TEST_SUITE(ib_headers)

BOOST_AUTO_TEST_CASE(lrh_of_the_ibta_sample_packet) {
  check_header<Lrh>("7012375c000e17d2", [](const Lrh& h) {
    BOOST_TEST(h.virtual_lane == 7);
    BOOST_TEST(h.version == 0);
    BOOST_TEST(h.service_level == 1);
    BOOST_TEST(h.reserved2 == 0);
    BOOST_TEST((h.next_header == LinkNextHeader::iba_local));
    BOOST_TEST(h.dlid.value == 0x375C);
    BOOST_TEST(h.reserved5 == 0);
    BOOST_TEST(h.packet_len_words == 14);
    BOOST_TEST(h.slid.value == 0x17D2);
  });
  BOOST_TEST(name_of(LinkNextHeader::iba_global) == "IBA global");
}

BOOST_AUTO_TEST_CASE(grh_of_a_captured_rocev1_packet) {
  check_header<Grh>("6020000000281b4000000000000000000000ffff0f00000200000000000000000000ffff0f000002",
                    [](const Grh& h) {
                      BOOST_TEST(h.ip_version == 6);
                      BOOST_TEST(h.traffic_class == 2);
                      BOOST_TEST(h.flow_label == 0U);
                      BOOST_TEST(h.payload_len == 40);
                      BOOST_TEST(h.next_header == Grh::iba_transport);
                      BOOST_TEST(h.hop_limit == 64);
                      BOOST_TEST(is_ipv4_mapped(h.sgid));
                      BOOST_TEST(h.sgid.octets[12] == 15);
                      BOOST_TEST(h.dgid.octets[15] == 2);
                    });
}

BOOST_AUTO_TEST_CASE(rwh) {
  check_header<Rwh>("00018915", [](const Rwh& h) {
    BOOST_TEST(h.reserved16 == 1);
    BOOST_TEST(h.ethertype == 0x8915);
  });
}

BOOST_AUTO_TEST_CASE(bth_of_a_captured_cnp) {
  check_header<Bth>("8100ffff4000011800000000", [](const Bth& h) {
    BOOST_TEST((h.opcode == Opcode::CNP_ROCEV2));
    BOOST_TEST(!h.solicited);
    BOOST_TEST(!h.migrated);
    BOOST_TEST(h.pad_count == 0);
    BOOST_TEST(h.version == 0);
    BOOST_TEST(h.p_key.value == 0xFFFF);
    BOOST_TEST(!h.fecn);
    BOOST_TEST(h.becn);
    BOOST_TEST(h.reserved6 == 0);
    BOOST_TEST(h.dest_qp.value == 0x118U);
    BOOST_TEST(!h.ack_request);
    BOOST_TEST(h.reserved7 == 0);
    BOOST_TEST(h.psn.value == 0U);
  });
}

BOOST_AUTO_TEST_CASE(bth_of_the_ibta_sample_packet) {
  check_header<Bth>("0a2024870087b1b3000dec2a", [](const Bth& h) {
    BOOST_TEST((h.opcode == Opcode::RC_RDMA_WRITE_ONLY));
    BOOST_TEST(h.pad_count == 2);
    BOOST_TEST(h.p_key.value == 0x2487);
    BOOST_TEST(h.dest_qp.value == 0x87B1B3U);
    BOOST_TEST(h.psn.value == 0x0DEC2AU);
  });
}

BOOST_AUTO_TEST_CASE(rdeth) {
  check_header<Rdeth>("05abcdef", [](const Rdeth& h) {
    BOOST_TEST(h.reserved8 == 5);
    BOOST_TEST(h.ee_context.value == 0xABCDEFU);
  });
}

BOOST_AUTO_TEST_CASE(xrceth) {
  check_header<Xrceth>("00012345", [](const Xrceth& h) {
    BOOST_TEST(h.reserved8 == 0);
    BOOST_TEST(h.srqn.value == 0x12345U);
  });
}

BOOST_AUTO_TEST_CASE(deth_of_a_cm_datagram) {
  check_header<Deth>("8001000000000001", [](const Deth& h) {
    BOOST_TEST(h.q_key.value == 0x80010000U);
    BOOST_TEST(h.reserved8 == 0);
    BOOST_TEST(h.source_qp.value == 1U);
  });
}

//= MPE-02 test
BOOST_AUTO_TEST_CASE(feth) {
  check_header<Feth>("00000013", [](const Feth& h) {
    BOOST_TEST(h.reserved26 == 0U);
    BOOST_TEST((h.selectivity == FlushSelectivity::whole_region));
    BOOST_TEST(h.placement == 3);
  });
}

BOOST_AUTO_TEST_CASE(reth_of_a_captured_rocev1_write) {
  check_header<Reth>("000055d4c0726000000047b300000005", [](const Reth& h) {
    BOOST_TEST(h.virtual_address.value == 0x55D4C0726000U);
    BOOST_TEST(h.r_key.value == 0x47B3U);
    BOOST_TEST(h.dma_len == 5U);
  });
}

//= ATM-05 test
BOOST_AUTO_TEST_CASE(atomiceth) {
  check_header<AtomicEth>("0102030405060708aabbccdd11121314151617182122232425262728", [](const AtomicEth& h) {
    BOOST_TEST(h.virtual_address.value == 0x0102030405060708U);
    BOOST_TEST(h.r_key.value == 0xAABBCCDDU);
    BOOST_TEST(h.swap_or_add == 0x1112131415161718U);
    BOOST_TEST(h.compare == 0x2122232425262728U);
  });
}

BOOST_AUTO_TEST_CASE(aeth_of_an_rnr_nak) {
  check_header<Aeth>("2c000001", [](const Aeth& h) {
    BOOST_TEST((h.syndrome.kind() == SyndromeKind::rnr_nak));
    BOOST_TEST(h.syndrome.low5() == 12);
    BOOST_TEST(h.msn.value == 1U);
    BOOST_TEST((h.syndrome == Syndrome::rnr_nak(12)));
  });
}

//= ACK-10, NAK-01 test
BOOST_AUTO_TEST_CASE(syndromes) {
  BOOST_TEST(Syndrome::ack(0).value == 0x00);
  BOOST_TEST(Syndrome::ack(30).value == 0x1E);
  BOOST_TEST(Syndrome::ack(31).value == 0x1F);
  BOOST_TEST(Syndrome::rnr_nak(0).value == 0x20);
  BOOST_TEST(Syndrome::nak(NakCode::psn_sequence_error).value == 0x60);
  BOOST_TEST(Syndrome::nak(NakCode::invalid_request).value == 0x61);
  BOOST_TEST(Syndrome::nak(NakCode::remote_access_error).value == 0x62);
  BOOST_TEST(Syndrome::nak(NakCode::remote_operational_error).value == 0x63);
  BOOST_TEST(Syndrome::nak(NakCode::invalid_rd_request).value == 0x64);
  BOOST_TEST(name_of(NakCode{5}).empty());
}

//= ACK-11 test
BOOST_AUTO_TEST_CASE(aeth_shows_the_part_that_its_kind_has) {
  const auto shown = [](std::uint8_t syndrome) {
    const std::array<std::uint8_t, 4> octets{syndrome, 0, 0, 1};
    std::string keys;
    for (const FieldInfo& field : header_info<Aeth>.fields) {
      if (field.part && is_present(field, octets)) {
        keys += std::string(field.key.substr(25)) + "=" + std::to_string(number(field, octets)) + " ";
      }
    }
    return keys;
  };
  BOOST_TEST(shown(0x1F) == "reserved=0 opcode=0 credit_count=31 ");
  BOOST_TEST(shown(0x2C) == "reserved=0 opcode=1 timer=12 ");
  BOOST_TEST(shown(0x41) == "reserved=0 opcode=2 reserved_value=1 ");
  BOOST_TEST(shown(0x63) == "reserved=0 opcode=3 error_code=3 ");
  BOOST_TEST(shown(0x80) == "reserved=1 opcode=0 credit_count=0 ");
}

//= ATM-05 test
BOOST_AUTO_TEST_CASE(atomicacketh) {
  check_header<AtomicAckEth>("0102030405060708",
                             [](const AtomicAckEth& h) { BOOST_TEST(h.original_remote_data == 0x0102030405060708U); });
}

BOOST_AUTO_TEST_CASE(immediate_keeps_the_order_of_the_wire) {
  check_header<ImmDt>("01020304", [](const ImmDt& h) {
    BOOST_TEST(h.data[0] == 1);
    BOOST_TEST(h.data[3] == 4);
  });
}

BOOST_AUTO_TEST_CASE(ieth) {
  check_header<Ieth>("00020304", [](const Ieth& h) { BOOST_TEST(h.r_key.value == 0x20304U); });
}

BOOST_AUTO_TEST_CASE(cnp_reserved) {
  check_header<CnpReserved>("00000000000000000000000000000001",
                            [](const CnpReserved& h) { BOOST_TEST(h.reserved[15] == 1); });
}

BOOST_AUTO_TEST_CASE(trailers) {
  check_header<Icrc>("78f353f3", [](const Icrc& h) { BOOST_TEST(h.crc == 0x78F353F3U); });
  check_header<Vcrc>("45fa", [](const Vcrc& h) { BOOST_TEST(h.crc == 0x45FA); });
}

BOOST_AUTO_TEST_CASE(flow_control_packet) {
  check_header<FlowControl>("012324566a84", [](const FlowControl& h) {
    BOOST_TEST((h.op == FlowControlOp::normal));
    BOOST_TEST(h.total_blocks_sent == 0x123);
    BOOST_TEST(h.virtual_lane == 2);
    BOOST_TEST(h.credit_limit == 0x456);
    BOOST_TEST(h.lpcrc == 0x6A84);
  });
}

BOOST_AUTO_TEST_SUITE_END()
