#include <iostream>

#include "protocol/cm/states_page.h"

int main() { std::cout << rdmawire::cm::states_page(); }
