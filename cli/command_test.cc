// The command as users and scripts see it: the program itself, its output, messages and exit codes.
#include <sys/wait.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/test_sctp_frame.h"
#include "cli/version.h"

namespace rdmawire::cli {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path scratch(std::string_view name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return std::filesystem::path(folder != nullptr ? folder : "/tmp") / name;
}

struct Run {
  int code;
  std::string out;
  std::string err;
};

// A shell command, in which $R is the program.
Run shell(const std::string& command) {
  const auto out = scratch("out");
  const auto err = scratch("err");
  const std::string line = "R=cli/rdmawire; { " + command + "; } >" + out.string() + " 2>" + err.string();
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

// rdmawire dump with these arguments, in which @NAME is a capture.
Run dump(std::string arguments) {
  for (std::size_t at; (at = arguments.find('@')) != std::string::npos;) {
    arguments.replace(at, 1, "testdata/captures/");
  }
  return shell("$R dump " + arguments);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// The first octets of a capture as a file of its own.
std::string cut_copy(const std::string& capture, std::size_t size) {
  const auto path = scratch("cut.pcap");
  std::ofstream(path, std::ios::binary) << read_file("testdata/captures/" + capture).substr(0, size);
  return path.string();
}

// The capture without some of its packets, as a file of its own.
template <class Drop>
std::string without(const std::string& capture, Drop drop) {
  const std::string file = read_file("testdata/captures/" + capture);
  const auto octet = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(file[at])); };
  std::string out = file.substr(0, 24);
  std::size_t number = 0;
  for (std::size_t at = 24, size = 0; at < file.size(); at += size) {
    size = 16 + octet(at + 8) + 256 * octet(at + 9);  // little-endian, below 65,536
    if (!drop(++number)) out += file.substr(at, size);
  }
  const auto path = scratch("without.pcap");
  std::ofstream(path, std::ios::binary) << out;
  return path.string();
}

constexpr std::string_view try_help = "\nTry 'rdmawire dump --help'.\n";

void refuses(const std::string& arguments, const std::string& message) {
  const Run run = dump(arguments);
  BOOST_TEST(run.code == 2, arguments);
  BOOST_TEST(run.out == "", arguments);
  BOOST_TEST(run.err == "rdmawire: " + message + std::string(try_help));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(command)

BOOST_AUTO_TEST_CASE(version_is_that_of_the_module) {
  const Run run = shell("$R --version");
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.out == "rdmawire " + std::string(version) + "\n");
  BOOST_TEST(read_file("MODULE.bazel").find("version = \"" + std::string(version) + "\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(help_has_examples) {
  for (const char* command : {"$R --help", "$R dump --help"}) {
    const Run run = shell(command);
    BOOST_TEST(run.code == 0);
    BOOST_TEST(run.err == "");
    BOOST_TEST(run.out.find("Examples:\n  rdmawire dump ") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(wrong_usage_is_2) {
  BOOST_TEST(shell("$R").code == 2);
  BOOST_TEST(shell("$R dunp x").code == 2);
  BOOST_TEST(dump("--no-such-option @rxe-rping.pcap").code == 2);
  refuses("", "no FILE given (- for standard input)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dump_command)

BOOST_AUTO_TEST_CASE(selection_and_count) {
  const Run run = dump("-c 2 --opcode rc_ack\\* --src 10.77.0.2 --from 6 @rxe-rping.pcap");
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.err == "");
  BOOST_TEST(run.out ==
             "  11 0.063359 10.77.0.2 > 10.77.0.1 0x11 12257490    0 RC_ACKNOWLEDGE ACK msn 2\n"
             "  17 0.067633 10.77.0.2 > 10.77.0.1 0x11 12257491    0 RC_ACKNOWLEDGE ACK msn 3\n");
  BOOST_TEST(dump("-c 0 @rxe-rping.pcap").out == "");
  BOOST_TEST(lines_of(dump("@rxe-rping.pcap").out).size() == 41U);
  BOOST_TEST(lines_of(dump("--qp 0x1 --qp 99 @rxe-rping.pcap").out).size() == 5U);
  BOOST_TEST(lines_of(dump("--psn 12257490-12257489 @rxe-rping.pcap").out).size() == 41U);
  BOOST_TEST(lines_of(dump("--to 4 @rxe-rping.pcap").out).size() == 4U);
}

BOOST_AUTO_TEST_CASE(fields_as_tshark_writes_them) {
  const Run run = dump(
      "-T fields -E header=y -E separator=/s -e frame.number -e frame.len -e infiniband.bth.psn -e infiniband.reth.va "
      "-c 2 --from 5 @rxe-rping.pcap");
  BOOST_TEST(run.err == "");
  BOOST_TEST(run.out ==
             "frame.number frame.len infiniband.bth.psn infiniband.reth.va\n5 62 12257489 \n"
             "6 74 7704348 0x00005652165aa5c0\n");
}

BOOST_AUTO_TEST_CASE(several_files_come_in_turn_and_are_named) {
  const Run run = dump("-c 3 @rxe-cm-reject.pcap @rxe-rping.pcap");
  const auto lines = lines_of(run.out);
  BOOST_TEST_REQUIRE(lines.size() == 6U);
  BOOST_TEST(lines[0] == "==> testdata/captures/rxe-cm-reject.pcap <==");
  BOOST_TEST(lines[3] == "");
  BOOST_TEST(lines[4] == "==> testdata/captures/rxe-rping.pcap <==");
  const auto objects = nlohmann::json::parse(dump("--json @rxe-cm-reject.pcap @rxe-rping.pcap").out);
  BOOST_TEST_REQUIRE(objects.size() == 43U);
  BOOST_TEST(objects[1]["rdma.capture.file"] == "testdata/captures/rxe-cm-reject.pcap");
  BOOST_TEST(objects[2]["rdma.capture.file"] == "testdata/captures/rxe-rping.pcap");
  BOOST_TEST(objects[2]["frame"] == 1);
}

BOOST_AUTO_TEST_CASE(standard_input_and_compression) {
  const std::string direct = dump("@rxe-rping.pcap").out;
  BOOST_TEST(shell("$R dump - <testdata/captures/rxe-rping.pcap").out == direct);
  BOOST_TEST(shell("cat testdata/captures/rxe-rping.pcap | $R dump -").out == direct);
  BOOST_TEST(shell("gzip -c testdata/captures/rxe-rping.pcap | $R dump -").out == direct);
}

BOOST_AUTO_TEST_CASE(a_capture_without_rdma_says_why) {
  const Run run = dump("@siw-no-listener.pcap");
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.out == "");
  BOOST_TEST(
      run.err ==
      "rdmawire: testdata/captures/siw-no-listener.pcap: note: no RDMA among 2 frames (2 tcp); RoCEv2 is looked for on "
      "UDP port 4791, --udp-port adds others; iWARP in TCP is recognised by its MPA start-up or by what its octets "
      "show, "
      "--decode-as tcp.port==N tells where it is; --all shows every frame\n");
  BOOST_TEST(lines_of(dump("--all @siw-no-listener.pcap").out).size() == 2U);
  BOOST_TEST(dump("--json @siw-no-listener.pcap").out == "[]\n");
}

BOOST_AUTO_TEST_CASE(iwarp_gives_a_record_for_each_pdu) {
  const Run run = dump("@siw-rping.pcap");
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.err == "");
  BOOST_TEST(lines_of(run.out).size() == 23U);
  // The frames in which none ended, too.
  BOOST_TEST(lines_of(dump("--all @siw-rping.pcap").out).size() == 34U);
  // -c counts records: frame 19 has three of them.
  BOOST_TEST(dump("-T fields -e frame -e rdma.stream_offset --from 18 -c 3 @siw-allops.pcap.zst").out ==
             "18\t6658\n18\t6694\n19\t6714\n");
  BOOST_TEST(
      dump("-T fields -e frame -e rdma.opcode --stream 0 --opcode 'SEND*' --src 10.77.0.2 @siw-rping.pcap -c 2").out ==
      "11\tSEND\n14\tSEND\n");
  BOOST_TEST(dump("--stream 1 @siw-rping.pcap").out == "");
  // A frame before --from may still tell what a later one is.
  BOOST_TEST(dump("-T fields -e rdma.opcode -e rdma.recognition --from 29 --to 30 @siw-rping.pcap").out ==
             "RDMA_WRITE\tstartup\nSEND\tstartup\n");
}

BOOST_AUTO_TEST_CASE(a_direction_that_is_lost_is_told_at_the_end) {
  // Its last FPDU, a Send of 40 octets; the FIN after it shows that it is missing.
  const std::string file = without("siw-rping.pcap", [](std::size_t number) { return number == 28; });
  const Run run = dump(file);
  BOOST_TEST(run.code == 0);
  BOOST_TEST(lines_of(run.out).size() == 22U);
  BOOST_TEST(run.err ==
             "rdmawire: " + file +
                 ": note: stream 0, from the initiator: no PDU found any more, 40 octets missing, at least 1 "
                 "FPDU lost\n");
  BOOST_TEST(dump("--stream 1 " + file).err == "");
  BOOST_TEST(dump("--qp 1 " + file).err == "");
}

BOOST_AUTO_TEST_CASE(a_start_in_mid_stream_is_recognised_or_told) {
  const std::string file = without("siw-rping.pcap", [](std::size_t number) { return number <= 7; });
  BOOST_TEST(dump("-T fields -e rdma.opcode -e rdma.recognition -e rdma.stream.sender -c 1 " + file).out ==
             "RDMA_READ_REQUEST\tmid_stream\tsecond\n");
  for (const char* how : {"tcp.port==7174", "tcp.port==7174,iwarp_mpa"}) {
    BOOST_TEST(
        dump("-T fields -e rdma.opcode -e rdma.recognition -c 1 --decode-as " + std::string(how) + " " + file).out ==
            "RDMA_READ_REQUEST\ttold\n",
        how);
  }
}

BOOST_AUTO_TEST_CASE(ddp_over_sctp_gives_a_record_for_each_chunk) {
  const std::string header("\xd4\xc3\xb2\xa1\x02\x00\x04\x00\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0", 24);
  const std::string record("\0\0\0\0\0\0\0\0\x94\0\0\0\x94\0\0\0", 16);
  const auto path = scratch("sctp.pcap");
  std::ofstream(path, std::ios::binary) << header << record << std::string(sctp_frame.begin(), sctp_frame.end());
  BOOST_TEST(dump("-T fields -e frame -e rdma.opcode -e sctp.data_tsn_raw " + path.string()).out ==
             "1\tDDP_SESSION_CONTROL\t100\n1\tSEND\t101\n");
  BOOST_TEST(lines_of(dump("--opcode SEND " + path.string()).out).size() == 1U);
  BOOST_TEST(lines_of(dump("--opcode 'DDP*' " + path.string()).out).size() == 1U);
  BOOST_TEST(lines_of(dump("--stream 0 " + path.string()).out).size() == 0U);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_gives_all_before_the_damage_and_one_error) {
  const std::string cut = cut_copy("rxe-cm-reject.pcap", 500);
  const Run run = dump(cut);
  BOOST_TEST(run.code == 2);
  BOOST_TEST(lines_of(run.out).size() == 1U);
  BOOST_TEST(run.err ==
             "rdmawire: " + cut +
                 ": pcap file at offset 362: the file ends too early (needs 338 octets, 138 left by file)\n");
  // What was written is valid JSON all the same.
  BOOST_TEST(nlohmann::json::parse(dump("--json " + cut).out).size() == 1U);
  // The next file is shown, too.
  BOOST_TEST(lines_of(dump(cut + " @rxe-cm-reject.pcap 2>/dev/null").out).size() == 6U);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_none_is_2) {
  const Run missing = dump("/no/such/file");
  BOOST_TEST(missing.code == 2);
  BOOST_TEST(missing.err == "rdmawire: /no/such/file: cannot be opened: No such file or directory\n");
  BOOST_TEST(dump("MODULE.bazel").code == 2);
  BOOST_TEST(dump("--json /no/such/file").out == "[]\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_link_type_is_told_once_by_number_and_name) {
  std::string file = read_file("testdata/captures/rxe-cm-reject.pcap");
  file[20] = 105;
  const auto path = scratch("wlan.pcap");
  std::ofstream(path, std::ios::binary) << file;
  const Run run = dump(path.string());
  BOOST_TEST(run.code == 2);
  BOOST_TEST(run.out == "");
  BOOST_TEST(run.err == "rdmawire: " + path.string() +
                            ": frame 1: link type 105 (IEEE802_11) is not supported; its frames are not decoded\n");
}

BOOST_AUTO_TEST_CASE(a_closed_pipe_ends_quietly) {
  // More output than a pipe holds.
  const Run run = shell(
      "C=testdata/captures/rxe-k612-allops.pcap; { $R dump -V --hex $C $C $C $C $C $C $C $C; echo \"exit $?\" >&2; } | "
      "head -n 1");
  BOOST_TEST(lines_of(run.out).size() == 1U);
  BOOST_TEST(run.err == "exit 0\n");
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_told) {
  const Run run = shell("$R dump testdata/captures/rxe-rping.pcap >/dev/full");
  BOOST_TEST(run.code == 2);
  BOOST_TEST(run.err == "rdmawire: standard output: No space left on device\n");
}

BOOST_AUTO_TEST_CASE(bad_values_are_refused_with_the_reason) {
  refuses("--qp 0x1000000 @rxe-rping.pcap", "--qp: 0x1000000 is too large for a queue pair number: at most 16777215");
  refuses("--psn 1-x @rxe-rping.pcap", "--psn: 'x' is not a PSN (decimal, or hexadecimal with 0x)");
  refuses("--opcode RC_SENT_ONLY @rxe-rping.pcap",
          "--opcode: no opcode is called 'RC_SENT_ONLY' (did you mean RC_SEND_ONLY, UC_SEND_ONLY or RD_SEND_ONLY?)");
  refuses("--src host @rxe-rping.pcap",
          "--src: 'host' is not an address: IPv4, IPv6 or GID, MAC (02:00:00:00:00:01) or LID");
  refuses("--udp-port 0 @rxe-rping.pcap", "--udp-port: 0 is not a UDP port");
  refuses("--udp-port 65536 @rxe-rping.pcap", "--udp-port: 65536 is too large for a UDP port: at most 65535");
  refuses(
      "--udp-port 1 --udp-port 2 --udp-port 3 --udp-port 4 --udp-port 5 --udp-port 6 --udp-port 7 --udp-port 8 "
      "@rxe-rping.pcap",
      "--udp-port: at most 7 ports besides 4791");
  refuses("--stream x @siw-rping.pcap", "--stream: 'x' is not a number of a stream (decimal, or hexadecimal with 0x)");
  refuses("--decode-as 20049 @siw-rping.pcap", "--decode-as: '20049' is not of the form tcp.port==N");
  refuses("--decode-as tcp.port=20049 @siw-rping.pcap", "--decode-as: 'tcp.port=20049' is not of the form tcp.port==N");
  refuses("--decode-as tcp.port==x @siw-rping.pcap",
          "--decode-as: 'x' is not a TCP port (decimal, or hexadecimal with 0x)");
  refuses("--decode-as tcp.port==0 @siw-rping.pcap", "--decode-as: 0 is not a TCP port");
  refuses("--decode-as udp.port==4791 @siw-rping.pcap",
          "--decode-as: 'udp.port' is not known: tcp.port is (UDP ports of RoCEv2: --udp-port)");
  refuses("--decode-as tcp.port==20049,rpc @siw-rping.pcap",
          "--decode-as: 'rpc' is not known: iwarp_mpa is, and need not be said");
  refuses(
      "--decode-as tcp.port==1 --decode-as tcp.port==2 --decode-as tcp.port==3 --decode-as tcp.port==4 --decode-as "
      "tcp.port==5 --decode-as tcp.port==6 --decode-as tcp.port==7 --decode-as tcp.port==8 --decode-as tcp.port==9 "
      "@siw-rping.pcap",
      "--decode-as: at most 8 ports");
  refuses("--time never @rxe-rping.pcap", "--time: 'never' is not one of relative, absolute, delta");
  refuses("-T json @rxe-rping.pcap", "-T: 'json' is not known: fields is (and --json, --ndjson, -V)");
  refuses("-T fields @rxe-rping.pcap", "-T fields: name at least one field with -e (--list-fields shows them)");
  refuses("-e frame @rxe-rping.pcap", "-e: only with -T fields");
  refuses("-T fields -e infiniband.bth.pns @rxe-rping.pcap",
          "-e: unknown field 'infiniband.bth.pns' (did you mean infiniband.bth.psn?); --list-fields shows all");
  refuses("-T fields -e frame -E quote=x @rxe-rping.pcap", "-E quote: 'x' is not one of d, s, n");
  refuses("-T fields -e frame -E separator=ab @rxe-rping.pcap",
          "-E separator: 'ab' is not one character, /t (tab) or /s (space)");
  refuses("--json -V @rxe-rping.pcap", "choose one of -V, --json, --ndjson and -T fields");
  refuses(
      "--from 1.5 @rxe-rping.pcap",
      "--from: '1.5' is neither a frame number (120), nor seconds since the first frame (1.5s), nor seconds since 1970 "
      "(@1700000000.25), nor a time in UTC (2026-11-29T14:56:32.5)");
  refuses("-c -1 @rxe-rping.pcap", "-c: '-1' is not a number of frames (decimal, or hexadecimal with 0x)");
}

BOOST_AUTO_TEST_CASE(another_udp_port_carries_rocev2_when_asked) {
  std::string file = read_file("testdata/captures/rxe-cm-reject.pcap");
  // Both packets: destination port 4791 becomes 9741 (24 octets of file header, 16 of record header, 36 into the
  // frame).
  for (std::size_t at = 24; at < file.size(); at += 16 + 322) {
    file[at + 16 + 36] = 0x26;
    file[at + 16 + 37] = 0x0D;
  }
  const auto path = scratch("port.pcap");
  std::ofstream(path, std::ios::binary) << file;
  BOOST_TEST(dump(path.string()).err.find("no RDMA among 2 frames (2 udp)") != std::string::npos);
  BOOST_TEST(lines_of(dump("--udp-port 9741 " + path.string()).out).size() == 2U);
}

BOOST_AUTO_TEST_CASE(list_fields_names_all) {
  const Run run = shell("$R dump --list-fields");
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.out.find("\ninfiniband.bth.psn\tnumber\tPacket sequence number\n") != std::string::npos);
  BOOST_TEST(run.out.find("\nrdma.icrc.status\ttext\t") != std::string::npos);
  BOOST_TEST(run.out.find("\nrdma.mpa.markers\tnumbers\t") != std::string::npos);
  BOOST_TEST(run.out.find("\niwarp_ddp.stag\tnumber\t") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cli
