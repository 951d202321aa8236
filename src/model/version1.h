#pragma once

namespace alder {

class Archive;

/// Makes the content of a model file of version 1 that of version 2.
void upgrade_version1(Archive& archive);

}  // namespace alder
