// Everything of the public rule.
#pragma once

#include "bankwise/ability.hpp"
#include "bankwise/access.hpp"
#include "bankwise/arch.hpp"
#include "bankwise/assert.hpp"
#include "bankwise/asynchronous.hpp"
#include "bankwise/asynchronous_cost.hpp"
#include "bankwise/config.hpp"
#include "bankwise/layout.hpp"
#include "bankwise/source_page.hpp"
#include "bankwise/swizzle.hpp"
#include "bankwise/wavefronts.hpp"
