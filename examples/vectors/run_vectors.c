/* Runs the packet vectors of RoCEv2 over IPv4 against a decoder in C, and prints what it gets wrong.
 *
 *     cc -o run_vectors examples/vectors/run_vectors.c && ./run_vectors conformance/vectors/packets.json
 *
 * Here the decoder is a few lines that read a BTH. Put your own in the place of decode(): it gives the value of the
 * field of that name, or returns 0 for one that it does not know.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int decode(const unsigned char *frame, size_t size, const char *name, unsigned long *value) {
  const unsigned char *bth = frame + 42; /* Ethernet 14, IPv4 20, UDP 8 */
  if (size < 54 || frame[12] != 0x08 || frame[13] != 0x00) return 0;
  if (!strcmp(name, "infiniband.bth.opcode")) *value = bth[0];
  else if (!strcmp(name, "infiniband.bth.se")) *value = bth[1] >> 7;
  else if (!strcmp(name, "infiniband.bth.padcnt")) *value = bth[1] >> 4 & 3;
  else if (!strcmp(name, "infiniband.bth.p_key")) *value = (unsigned long)bth[2] << 8 | bth[3];
  else if (!strcmp(name, "infiniband.bth.destqp")) *value = (unsigned long)bth[5] << 16 | bth[6] << 8 | bth[7];
  else if (!strcmp(name, "infiniband.bth.a")) *value = bth[8] >> 7;
  else if (!strcmp(name, "infiniband.bth.psn")) *value = (unsigned long)bth[9] << 16 | bth[10] << 8 | bth[11];
  else return 0;
  return 1;
}

/* Octets as text, see SCHEMA.md; up to the quote. */
static size_t unpack(const char *text, unsigned char *out, size_t room) {
  size_t n = 0;
  while (*text && *text != '"' && n < room) {
    char digits[3] = {text[0], text[1], 0};
    unsigned char octet = (unsigned char)strtoul(digits, NULL, 16);
    text += 2;
    if (*text != '*' && *text != '+') { out[n++] = octet; text += *text == ' '; continue; }
    unsigned char step = *text == '+';
    char *end;
    unsigned long count = strtoul(text + 1, &end, 10);
    for (; count && n < room; --count, octet = (unsigned char)(octet + step)) out[n++] = octet;
    text = end + (*end == ' ');
  }
  return n;
}

int main(int argc, char **argv) {
  static char line[1 << 16];
  static unsigned char frame[1 << 14];
  unsigned right = 0, wrong = 0, unknown = 0;
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!file) return fprintf(stderr, "usage: run_vectors packets.json\n"), 2;
  while (fgets(line, sizeof line, file)) {
    char *octets = strstr(line, "\"octets\":\""), *field = strstr(line, "\"fields\":{");
    char *rules = strstr(line, "\"requirements\":");
    if (!strstr(line, "\"form\":\"ethernet\"") || !octets || !field) continue;
    size_t size = unpack(octets + 10, frame, sizeof frame);
    for (field += 9; *field != '}'; ) {
      char *name = strchr(field, '"') + 1, *value = strchr(name, '"');
      *value = 0;
      value += 2 + (value[2] == '"');
      unsigned long must = strtoul(value, &field, 0), is;
      while (*field != ',' && *field != '}') ++field;
      if (!decode(frame, size, name, &is)) { ++unknown; continue; }
      if (is == must) { ++right; continue; }
      ++wrong;
      printf("%.60s %.60s: %s is %lu, must be %lu\n", line + 9, rules, name, is, must);
    }
  }
  printf("%u fields right, %u wrong, %u not read\n", right, wrong, unknown);
  return wrong != 0;
}
