#include "codec/ib/opcode.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "codec/ib/headers.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::ib;

std::vector<std::map<std::string, std::string>> read_tsv(const std::string& path) {
  std::ifstream file(path);
  BOOST_REQUIRE(file);
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == '\t') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    return cells;
  };
  std::string line;
  std::getline(file, line);
  const auto names = split(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(file, line)) {
    const auto cells = split(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[names.at(i)] = cells[i];
  }
  return rows;
}

// The TSV's words for what the table says.
std::string headers_text(const OpcodeInfo& row) {
  static const std::map<Layer, std::string> names{
      {Layer::rdeth, "RDETH"},         {Layer::deth, "DETH"},        {Layer::reth, "RETH"},
      {Layer::atomiceth, "AtomicETH"}, {Layer::aeth, "AETH"},        {Layer::atomicacketh, "AtomicAckETH"},
      {Layer::immdt, "ImmDt"},         {Layer::ieth, "IETH"},        {Layer::xrceth, "XRCETH"},
      {Layer::feth, "FETH"},           {Layer::cnp, "16 zero bytes"}};
  std::string text = "BTH";
  for (std::size_t i = 0; i < row.num_headers; ++i) text += "+" + names.at(row.headers[i]);
  return text;
}

const std::map<Service, std::string> services{{Service::rc, "RC"}, {Service::uc, "UC"}, {Service::rd, "RD"},
                                              {Service::ud, "UD"}, {Service::cnp, "-"}, {Service::xrc, "XRC"}};
const std::map<Operation, std::string> operations{
    {Operation::send, "SEND"},     {Operation::write, "WRITE"}, {Operation::read, "READ"},
    {Operation::atomic, "ATOMIC"}, {Operation::ack, "ACK"},     {Operation::flush, "FLUSH"},
    {Operation::resync, "RESYNC"}, {Operation::cnp, "CNP"},     {Operation::atomic_write, "ATOMIC_WRITE"}};
const std::map<Position, std::string> positions{
    {Position::first, "first"}, {Position::middle, "middle"}, {Position::last, "last"}, {Position::only, "only"}};
const std::map<ReceiveWqe, std::string> wqes{
    {ReceiveWqe::none, "no"}, {ReceiveWqe::takes, "takes one"}, {ReceiveWqe::continues, "continues current"}};
const std::map<Answer, std::string> answers{{Answer::none, "-"},
                                            {Answer::acknowledge, "ACKNOWLEDGE"},
                                            {Answer::read_response, "READ RESPONSE"},
                                            {Answer::atomic_acknowledge, "ATOMIC ACKNOWLEDGE"},
                                            {Answer::empty_read_response, "READ RESPONSE ONLY, 0 B"}};

std::string payload_text(const OpcodeInfo& row) {
  if (row.opcode == Opcode::CNP_ROCEV2) return "16 reserved zero bytes";  // a header here, not payload
  if (row.service == Service::ud) return "0..PMTU (port MTU)";
  static const std::map<PayloadRule, std::string> rules{{PayloadRule::none, "none"},
                                                        {PayloadRule::eight, "=8"},
                                                        {PayloadRule::any, "0..PMTU"},
                                                        {PayloadRule::nonempty, "1..PMTU"},
                                                        {PayloadRule::full, "=PMTU"}};
  return rules.at(row.payload);
}

std::string ack_text(const OpcodeInfo& row) {
  if (row.direction == Direction::response) return "n/a (is a response)";
  if (row.operation == Operation::resync) return "always (RD ACK)";
  static const std::map<Acknowledged, std::string> rules{{Acknowledged::never, "never"},
                                                         {Acknowledged::requested, "if BTH.A=1 (or responder chooses)"},
                                                         {Acknowledged::always, "always answered, BTH.A irrelevant"}};
  return rules.at(row.acknowledged);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(opcodes)

//= ATM-07, MPE-06, OPS-09, RD-90, XRC-01 test
BOOST_AUTO_TEST_CASE(table_equals_the_reference_in_every_column) {
  const auto rows = read_tsv("testdata/reference/opcodes.tsv");
  BOOST_REQUIRE(rows.size() == 90U);
  BOOST_REQUIRE(opcode_table.size() == 90U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto want = rows[i];
    const OpcodeInfo& row = opcode_table[i];
    BOOST_TEST_CONTEXT(want["name"]) {
      BOOST_TEST(static_cast<unsigned long>(row.opcode) == std::stoul(want["opcode"], nullptr, 16));
      BOOST_TEST(row.name == want["name"]);
      BOOST_TEST(services.at(row.service) == want["service"]);
      BOOST_TEST(operations.at(row.operation) == want["operation"]);
      BOOST_TEST(positions.at(row.position) == want["position"]);
      BOOST_TEST((row.direction == Direction::request ? "req" : "resp") == want["direction"]);
      BOOST_TEST(headers_text(row) == want["headers_in_order"]);
      BOOST_TEST(std::to_string(transport_size(row)) == want["header_bytes"]);
      BOOST_TEST(payload_text(row) == want["payload"]);
      BOOST_TEST((row.has(Layer::immdt) ? "yes" : "no") == want["immediate"]);
      BOOST_TEST(wqes.at(row.receive_wqe) == want["consumes_recv_wqe"]);
      BOOST_TEST(ack_text(row) == want["ack_rule"]);
      BOOST_TEST(answers.at(row.answer) == want["response"]);
    }
  }
}

//= MPE-09, UC-08, UD-01 test
BOOST_AUTO_TEST_CASE(every_octet_finds_its_row_or_none) {
  std::size_t found = 0;
  for (unsigned code = 0; code < 256; ++code) {
    const OpcodeInfo* row = find(static_cast<Opcode>(code));
    if (row == nullptr) {
      BOOST_TEST(name_of(static_cast<Opcode>(code)).empty());
      continue;
    }
    ++found;
    BOOST_TEST(static_cast<unsigned>(row->opcode) == code);
    BOOST_TEST(static_cast<unsigned>(row->service) == code >> 5);
  }
  BOOST_TEST(found == 90U);
  BOOST_TEST(find(static_cast<Opcode>(0x15)) == nullptr);
  // UC has the codes of RC as far as WRITE, UD the two for a whole SEND; VERIFY, which only the IETF names, has none.
  for (unsigned code = 0x2C; code < 0x40; ++code) BOOST_TEST(find(static_cast<Opcode>(code)) == nullptr);
  for (unsigned code = 0x60; code < 0x80; ++code) {
    BOOST_TEST((find(static_cast<Opcode>(code)) != nullptr) == (code == 0x64 || code == 0x65));
  }
  for (const unsigned code : {0x18U, 0x19U, 0x1AU, 0x1BU, 0x1EU, 0x1FU})
    BOOST_TEST(find(static_cast<Opcode>(code)) == nullptr);
  BOOST_TEST(find(static_cast<Opcode>(0xFF)) == nullptr);
  BOOST_TEST(name_of(Opcode::RD_RESYNC) == "RD_RESYNC");
}

BOOST_AUTO_TEST_SUITE_END()
