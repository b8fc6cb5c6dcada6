#pragma once
#error "this is the consumer's own model/load.hpp, not that of Daedalus"
