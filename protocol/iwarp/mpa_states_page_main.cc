#include <iostream>

#include "protocol/iwarp/mpa_states_page.h"

int main() { std::cout << rdmawire::iwarp::mpa_states_page(); }
