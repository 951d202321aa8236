#pragma once

/// Everything a user of the library may include.
#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/feature_map.h"
#include "alder/input.h"
#include "alder/kernel.h"
#include "alder/learner.h"
#include "alder/learners.h"
#include "alder/model.h"
#include "alder/pomdr.h"
#include "alder/precision.h"
#include "alder/registry.h"
#include "alder/row.h"
#include "alder/scaling.h"
#include "alder/stream.h"
#include "alder/version.h"
