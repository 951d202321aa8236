# What the library needs; docs/dependencies.md says why. The program, tests and benchmarks find their own beside this.
find_package(Eigen3 3.4 REQUIRED)
find_package(hwy 1.0 REQUIRED CONFIG)
find_package(fmt REQUIRED)
find_package(FastFloat REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED)
find_package(LibLZMA REQUIRED)
