// The vectors against this library: every one must pass.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "conformance/vectors/mutants.h"
#include "conformance/vectors/packet_vectors.h"
#include "conformance/vectors/state_vectors.h"

namespace rdmawire::conformance {
namespace {

using vectors::Json;

std::vector<std::string> state_files() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("conformance/vectors")) {
    if (entry.path().filename().string().starts_with("state_") && entry.path().extension() == ".json") {
      out.push_back(entry.path().string());
    }
  }
  return out;
}

const Json& packets() {
  static const Json file = [] {
    std::ifstream in("conformance/vectors/packets.json");
    return Json::parse(in);
  }();
  return file.at("vectors");
}

std::set<std::string> requirement_ids() {
  std::set<std::string> out;
  for (const char* name : {"ib", "iwarp"}) {
    std::ifstream file("conformance/requirements/" + std::string(name) + ".tsv");
    for (std::string line; std::getline(file, line);) out.insert(line.substr(0, line.find('\t')));
  }
  return out;
}

// What a vector proves, and its name, are of its own.
void check_head(const Json& vector, std::set<std::string>& names, const std::set<std::string>& ids) {
  BOOST_TEST(names.insert(vector.at("name").get<std::string>()).second, vector.at("name"));
  for (const Json& id : vector.at("requirements")) {
    BOOST_TEST(ids.contains(id.get<std::string>()), vector.at("name") << ": no register has " << id);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(conformance_vectors)

BOOST_AUTO_TEST_CASE(every_packet_is_read_or_refused_as_its_vector_says) {
  for (const Json& vector : packets()) {
    const std::string difference = check_packet(vector);
    BOOST_TEST(difference.empty(), vector.at("name") << " " << vector.at("requirements") << ": " << difference);
  }
  BOOST_TEST(packets().size() >= 900U);
}

// A vector in which one value is another is found to be wrong: the runner looks.
BOOST_AUTO_TEST_CASE(a_packet_vector_with_another_value_fails) {
  std::size_t num_fields = 0;
  for (Json vector : packets()) {
    if (!vector.contains("fields")) continue;
    for (auto& [name, value] : vector["fields"].items()) {
      const Json right = value;
      value = value.is_number() ? Json(value.get<std::uint64_t>() ^ 1U) : Json("00");
      BOOST_TEST(!check_packet(vector).empty(), vector["name"] << " " << name);
      value = right;
      ++num_fields;
    }
  }
  BOOST_TEST(num_fields > 5000U);
}

BOOST_AUTO_TEST_CASE(every_machine_does_what_its_vectors_say) {
  std::size_t num_vectors = 0;
  for (const std::string& file : state_files()) {
    for (const Json& vector : read_state_vectors(file)) {
      const std::string difference = vectors::play(vector);
      BOOST_TEST(difference.empty(), vector.at("name") << " " << vector.at("requirements") << ": " << difference);
      ++num_vectors;
    }
  }
  BOOST_TEST(num_vectors >= 350U);
}

// Of all mutants each twelfth: `rdmawire mutants` tries them all.
BOOST_AUTO_TEST_CASE(mutants_are_caught_or_explained) {
  std::vector<Json> all;
  for (const std::string& file : state_files()) {
    for (Json& vector : read_state_vectors(file)) all.push_back(std::move(vector));
  }
  const auto notes = read_notes("conformance/vectors/survivors.tsv");
  const std::vector<Mutant> mutants = measure(all, 12, 5);
  BOOST_TEST(mutants.size() >= 30U);
  for (const Mutant& mutant : mutants) {
    const bool explained = notes.contains(std::string(mutant.name));
    BOOST_TEST(mutant.num_played != 0U, "no vectors for " << mutant.name);
    BOOST_TEST(mutant.caught_by.empty() == explained, mutant.name << " is caught by \"" << mutant.caught_by << '"');
  }
}

BOOST_AUTO_TEST_CASE(names_are_unique_and_requirements_in_the_register) {
  const auto ids = requirement_ids();
  BOOST_REQUIRE(ids.contains("PSN-01"));
  std::set<std::string> names;
  for (const Json& vector : packets()) check_head(vector, names, ids);
  for (const std::string& file : state_files()) {
    std::set<std::string> own;
    for (const Json& vector : read_state_vectors(file)) check_head(vector, own, ids);
  }
}

BOOST_AUTO_TEST_CASE(octets_as_text_and_back) {
  const auto round = [](const std::vector<std::uint8_t>& octets) { return vectors::unpack(vectors::pack(octets)); };
  std::vector<std::uint8_t> octets{1, 2, 3};
  BOOST_TEST(vectors::pack(octets) == "010203");
  octets.resize(18);
  BOOST_TEST(vectors::pack(octets) == "010203000000000000000000000000000000");
  octets.resize(19);
  BOOST_TEST(vectors::pack(octets) == "010203 00*16");
  BOOST_TEST((round(octets) == octets));
  octets.clear();
  for (unsigned i = 0; i < 300; ++i) octets.push_back(static_cast<std::uint8_t>(i));
  octets.push_back(9);
  BOOST_TEST(vectors::pack(octets) == "00+300 09");
  BOOST_TEST((round(octets) == octets));
  BOOST_TEST((vectors::unpack("0a fe+3 ff") == std::vector<std::uint8_t>{0x0A, 0xFE, 0xFF, 0x00, 0xFF}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::conformance
