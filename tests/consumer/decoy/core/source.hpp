#pragma once
#error "this is the consumer's own core/source.hpp, not that of Daedalus"
