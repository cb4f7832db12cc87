// What Linux siw answered in captures (testdata/captures), octet by octet: this end, with siw's departures, does the
// same, and without them says what the specification wants.
#include <memory>

#include "protocol/iwarp/connection_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

struct Answer {
  const char* capture;
  const char* request;    // the client's MPA Request after its key
  const char* fpdu;       // the client's, that is wrong
  const char* terminate;  // the server's
};

const Answer answers[] = {
    {"siw-term-send-norecv", "1002000a0004000470726f626500",
     "0076414300000000000000000000000100000000fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0dfdedddcd"
     "bdad9d8d7d6d5d4d3d2d1d0cfcecdcccbcac9c8c7c6c5c4c3c2c1c0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0afaeadacabaaa9a8a7a6a5a4a3"
     "a2a1a09f9e9d9c00000000",
     "002a41470000000000000002000000010000000021020300006441430000000000000000000000010000000000000000"},
    {"siw-term-write-badstag", "1002000a0004000470726f626500",
     "0072c1406f6fd5a500007fecf7f55000fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0dfdedddcdbdad9d8d"
     "7d6d5d4d3d2d1d0cfcecdcccbcac9c8c7c6c5c4c3c2c1c0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0afaeadacabaaa9a8a7a6a5a4a3a2a1a09f"
     "9e9d9c00000000",
     "0026414700000000000000020000000100000000110003000064c1406f6fd5a500007fecf7f5500000000000"},
    {"siw-term-read-badstag", "1002000a0004000470726f626500",
     "002e41410000000000000001000000010000000001cec30000007f5febd7f00000000064202481a500007fa216d2d00000000000",
     "004641470000000000000002000000010000000010000700000041410000000000000001000000640000000001cec30000007f5febd7f0000"
     "0000064202481a500007fa216d2d00000000000"},
    {"siw-crc-term-badstag", "5002000a0004000470726f626500",
     "0072c140920376a500007fdbc40eb000fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0dfdedddcdbdad9d8d"
     "7d6d5d4d3d2d1d0cfcecdcccbcac9c8c7c6c5c4c3c2c1c0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0afaeadacabaaa9a8a7a6a5a4a3a2a1a09f"
     "9e9d9c4c6b6413",
     "0026414700000000000000020000000100000000110003000064c140920376a500007fdbc40eb0009fc4ba14"},
};

std::unique_ptr<Connection> server(Script& script, const char* request, bool quirky) {
  ConnectionSetup setup;
  setup.respond();
  setup.config.mpa.enhanced = true;
  setup.config.mpa.crc = request[0] == '5';
  setup.peer = request;
  if (quirky) {
    for (const Quirk quirk :
         {Quirk::terminate_bits_reversed, Quirk::terminate_counts_payload, Quirk::terminate_read_as_progress,
          Quirk::long_message_has_no_buffer, Quirk::strict_message_offset}) {
      setup.config.rdmap.quirks.add(quirk);
    }
  }
  return std::make_unique<Connection>(script, setup);
}

BOOST_AUTO_TEST_SUITE(siw_answers)

BOOST_AUTO_TEST_CASE(terminates_are_those_of_the_captures) {
  for (const Answer& answer : answers) {
    Script script;
    const auto t = server(script, answer.request, true);
    t->give(answer.fpdu);
    BOOST_CHECK_MESSAGE(t->poll_hex() == answer.terminate, answer.capture);
  }
}

// The standard's Terminate quotes the same; but siw has a length where a Read Request's message number belongs.
//= RDMAP-5040-7.1-03, RDMAP-5040-7.1-04 test
BOOST_AUTO_TEST_CASE(standards_terminates_quote_the_same_headers) {
  const char* const controls[] = {"1202c0000076", "1100c0000072", "0100e000002e", "1100c0000072"};
  std::size_t i = 0;
  for (const Answer& answer : answers) {
    Script script;
    const auto t = server(script, answer.request, false);
    t->give(answer.fpdu);
    const std::string sent = t->poll_hex();
    std::string siw = answer.terminate;
    if (controls[i][4] == 'e') siw.replace(52 + 20, 8, "00000001");
    // After ULPDU_Length and the DDP header of 18 octets: control and length, then what is quoted, pad and CRC.
    BOOST_TEST(sent.substr(0, 40) == siw.substr(0, 40));
    BOOST_TEST(sent.substr(40, 12) == controls[i++]);
    BOOST_TEST(sent.substr(52, sent.size() - 60) == siw.substr(52, siw.size() - 60));
  }
}

// siw-term-send-too-long.pcap: two segments of 1424 octets for a buffer in which the second has no room.
BOOST_AUTO_TEST_CASE(message_longer_than_its_buffer) {
  for (const bool quirky : {true, false}) {
    Script script;
    const auto t = server(script, "1002000a0004000470726f626500", quirky);
    t->receives(1, 1, 1500);
    const SegmentOctets first = t->framed(Seg(SEND).more().data(1424));
    const SegmentOctets second = t->framed(Seg(SEND).more().at(1424).data(1424));
    t->give(first);
    t->give(second);
    BOOST_TEST(t->poll_hex() ==
               (quirky ? "002a414700000000000000020000000100000000210203000590014300000000000000000000000100000590"
                         "00000000"
                       : "002a41470000000000000002000000010000000012"
                         "05c00005a2014300000000000000000000000100000590"
                         "00000000"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
