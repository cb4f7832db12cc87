#include <iostream>

#include "protocol/verbs/transitions_page.h"

int main() { std::cout << rdmawire::verbs::transitions_page(); }
