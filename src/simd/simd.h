#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/aligned.h"

/// The few vector primitives, each written once and compiled for every instruction set; the best one that the
/// processor has is chosen at run time.
///
/// Contract of all: arrays start on kAlignment bytes and have room for padded(n) elements. What an output array holds
/// beyond n is stated with each function.
namespace alder::simd {

/// How many rows the functions named `together` take.
inline constexpr std::size_t kTogether = 8;

/// The dot products of one row with n dictionary elements:
///   out[i] = Σ_j values[j] · columns[j][i],   j < count, i < n.
/// Every out[i] is one chain of multiply-adds in the order of j, so a feature with value 0 changes nothing: sparse and
/// dense rows give the same bits. Columns hold finite numbers up to padded(n), and so does `out` afterwards.
void dots(const float* const* columns, const float* values, std::size_t count, std::size_t n, float* out);
void dots(const float* const* columns, const float* values, std::size_t count, std::size_t n, double* out);
void dots(const double* const* columns, const double* values, std::size_t count, std::size_t n, double* out);

/// kLanes numbers of a column, times a row's value, to be added to dot products; all aligned.
template <class T, class A>
struct Piece {
  const T* numbers;
  A* out;
  T value;
};
/// out[i] += value·numbers[i], i < kLanes, piece by piece: the chains of `dots`, where those pieces of columns that are
/// all 0 are left out.
void add_pieces(const Piece<float, float>* pieces, std::size_t count);
void add_pieces(const Piece<float, double>* pieces, std::size_t count);
void add_pieces(const Piece<double, double>* pieces, std::size_t count);

/// Whether all values are finite and, unless it is null, `indices` ascends strictly. No alignment needed.
bool is_sound(const std::uint32_t* indices, const double* values, std::size_t count);

/// out[j] = table[indices[j]], j < count. Returns whether none of them is `none`. No alignment needed.
bool look_up(const std::uint32_t* table, const std::uint32_t* indices, std::size_t count, std::uint32_t none,
             std::uint32_t* out);

/// A row on its way from a caller's array to numbers of type T.
struct LoadedRow {
  unsigned bits;
  /// Whether no value has become 0 or infinite; if not, the rest is not filled in.
  [[nodiscard]] bool is_plain() const { return (bits & 1U) != 0; }
  /// Whether all values are integers, and whether all are 1; for floats only.
  [[nodiscard]] bool is_whole() const { return (bits & 2U) != 0; }
  [[nodiscard]] bool is_ones() const { return (bits & 4U) != 0; }
};
/// out[j] = values[j], j < count. No alignment needed.
LoadedRow load_row(const double* values, std::size_t count, float* out);
LoadedRow load_row(const double* values, std::size_t count, double* out);

/// Σ_j values[j]², by the same chain of operations as `dots`, so that the squared distance of a row to itself,
/// ‖x‖² + ‖x‖² − 2⟨x,x⟩, is exactly 0. No alignment needed.
struct SquaredNorms {
  double in_double;
  float in_float;  ///< of floats only
};
SquaredNorms squared_norms(const float* values, std::size_t count);
SquaredNorms squared_norms(const double* values, std::size_t count);
/// The same to the bit for kTogether rows, whose values are given as to `radial_rows_together`.
void squared_norms_together(const float* values, std::size_t count, SquaredNorms* norms);
void squared_norms_together(const double* values, std::size_t count, SquaredNorms* norms);

/// Σ_j |values[j]|, by the same chain of additions as `overlaps`, in the place of squared norms: the distance of a row
/// to itself, |x|₁ + |x|₁ − 2 Σ_j m(x_j, x_j), is exactly 0. No alignment needed.
SquaredNorms absolute_sums(const float* values, std::size_t count);
SquaredNorms absolute_sums(const double* values, std::size_t count);
/// The same to the bit for kTogether rows.
void absolute_sums_together(const float* values, std::size_t count, SquaredNorms* norms);
void absolute_sums_together(const double* values, std::size_t count, SquaredNorms* norms);

/// out[j·kTogether + r] = rows[r][j], j < count. No alignment needed.
void transpose_together(const float* const* rows, std::size_t count, float* out);
void transpose_together(const double* const* rows, std::size_t count, double* out);

/// The elements of a dictionary, seen by a radial kernel κ = 2^(−q), and A is the type of its arithmetic:
///   q_i = gamma·d_i², or gamma·d_i when `root`, with d_i² = max(0, ‖x‖² + ‖s_i‖² − 2⟨x, s_i⟩).
/// (Powers of 2 take fewer operations than those of e, which differ by a factor of gamma alone.)
/// In double, q_i is capped at a large finite number; in float, norms and gamma are such that it need not be. A place
/// that is free is marked by an infinite norm: q_i is infinite then, or that large number.
template <class A>
struct RadialElements {
  const A* norms;  ///< ‖s_i‖²
  std::size_t n;   ///< a multiple of kLanes
  A gamma;
  bool root;
};

/// Columns of a dictionary: column c begins at numbers + c·stride, aligned.
template <class T>
struct ColumnsView {
  const T* numbers;
  std::size_t stride;
};

/// A row on its way to kernel values.
template <class A>
struct RadialRow {
  const std::uint32_t* columns;  ///< as for `dots`, by their numbers
  const A* values;
  std::size_t count;
  A norm;        ///< ‖x‖²
  A* exponents;  ///< receives q_i
  /// Receives 2^(−q_i), to 2 units in the last place, for q_i up to 125 in float and 1021 in double; beyond it, where
  /// that is next to nothing, what it is there.
  A* kernel;
};

/// The kernel values of some rows, each with the dot products of `dots`, in one pass over its columns: tile by tile of
/// elements, so that the columns that rows share come from the nearest cache.
void radial_rows(const RadialElements<float>& elements, ColumnsView<float> columns, const RadialRow<float>* rows,
                 std::size_t count);
void radial_rows(const RadialElements<double>& elements, ColumnsView<float> columns, const RadialRow<double>* rows,
                 std::size_t count);
void radial_rows(const RadialElements<double>& elements, ColumnsView<double> columns, const RadialRow<double>* rows,
                 std::size_t count);

/// The same to the bit, if all dot products, and all sums on the way to them, are integers up to 2^24: these are exact
/// in float, and only what comes after them is computed in double.
void radial_rows_of_integers(const RadialElements<double>& elements, ColumnsView<float> columns,
                             const RadialRow<double>* rows, std::size_t count);

/// The same to the bit, if all numbers are 1 or 0, and rows have at most 255 values, all of them 1.
void radial_rows_of_ones(const RadialElements<float>& elements, ColumnsView<std::uint8_t> columns,
                         const RadialRow<float>* rows, std::size_t count);
void radial_rows_of_ones(const RadialElements<double>& elements, ColumnsView<std::uint8_t> columns,
                         const RadialRow<double>* rows, std::size_t count);

/// kTogether rows that are multiplied together: the columns in which any of them is not 0, and with each kTogether
/// values, in the type of the arithmetic, 0 where a row lacks one.
template <class A>
struct RowsTogether {
  const std::uint32_t* columns;
  const A* values;
  std::size_t count;
};

/// The same to the bit for rows as a product of two matrices, each column being loaded once for all of them; of their
/// own, columns and values are not looked at.
void radial_rows_together(const RadialElements<float>& elements, ColumnsView<float> columns,
                          const RowsTogether<float>& together, const RadialRow<float>* rows);
void radial_rows_together(const RadialElements<double>& elements, ColumnsView<float> columns,
                          const RowsTogether<double>& together, const RadialRow<double>* rows);
void radial_rows_together(const RadialElements<double>& elements, ColumnsView<double> columns,
                          const RowsTogether<double>& together, const RadialRow<double>* rows);

/// The same to the bit, from dot products that are in `exponents` already.
void radial_of_dots(const RadialElements<float>& elements, const RadialRow<float>& row);
void radial_of_dots(const RadialElements<double>& elements, const RadialRow<double>& row);

/// For the distance |x − s|₁ = |x|₁ + |s|₁ − 2 Σ_j m(x_j, s_j), which has the shape of the squared one: m(a, b), the
/// overlap of two numbers, is min(|a|, |b|) if both are on the same side of 0, else 0. These put the overlaps of rows
/// with the first n elements, a multiple of kLanes, where `radial_of_dots` looks for dot products:
///   exponents[i] = Σ_j m(values[j], columns[j][i]).
/// Each is one chain of additions in the order of j, in which nothing else is rounded: a feature with value 0 changes
/// nothing, and to exchange row and element changes nothing. Norms and kernel values of the rows are not looked at.
void overlaps(std::size_t n, ColumnsView<float> columns, const RadialRow<float>* rows, std::size_t count);
void overlaps(std::size_t n, ColumnsView<float> columns, const RadialRow<double>* rows, std::size_t count);
void overlaps(std::size_t n, ColumnsView<double> columns, const RadialRow<double>* rows, std::size_t count);
/// The same to the bit for kTogether rows, as in `radial_rows_together`.
void overlaps_together(std::size_t n, ColumnsView<float> columns, const RowsTogether<float>& together,
                       const RadialRow<float>* rows);
void overlaps_together(std::size_t n, ColumnsView<float> columns, const RowsTogether<double>& together,
                       const RadialRow<double>* rows);
void overlaps_together(std::size_t n, ColumnsView<double> columns, const RowsTogether<double>& together,
                       const RadialRow<double>* rows);
/// out[i] += m(value, numbers[i]), i < kLanes, piece by piece: the same chains, as in `add_pieces`.
void overlap_pieces(const Piece<float, float>* pieces, std::size_t count);
void overlap_pieces(const Piece<float, double>* pieces, std::size_t count);
void overlap_pieces(const Piece<double, double>* pieces, std::size_t count);

struct RowSums {
  double front;         ///< Σ front_weights[i]·front[i]
  double sum;           ///< Σ weights[i]·values[i]
  bool front_is_small;  ///< whether all of those products are below `small`, by magnitude
  bool is_small;        ///< whether all of the values are below it
};
/// Two weighted sums in one call. `front_n` is a multiple of kLanes. Beyond n, up to padded(n), weights are 0 and
/// values are finite, and below any that is not small.
RowSums row_sums(const double* front_weights, const float* front, std::size_t front_n, const double* weights,
                 const float* values, std::size_t n, float small);
RowSums row_sums(const double* front_weights, const double* front, std::size_t front_n, const double* weights,
                 const double* values, std::size_t n, double small);

/// Σ weights[i]·2^(least − exponents[i]), the exponents being as `radial_rows` leaves them, and `least` the least of
/// those whose weight is not 0. Weights are 0 beyond n, up to padded(n).
struct ShiftedSum {
  double sum;
  double least;  ///< 0 if all weights are 0
};
ShiftedSum shifted_sum(const double* weights, const float* exponents, std::size_t n);
ShiftedSum shifted_sum(const double* weights, const double* exponents, std::size_t n);

/// out[i] = 2^(−ratio·exponents[i]), i < n, the exponents being as `radial_rows` leaves them: kernel values to the
/// power of `ratio`, which is above 0 and finite. To 2 units in the last place where it is above 1e-20 in float and
/// above 1e-150 in double; 0 below that. No alignment or padding needed; `out` may be `exponents`, and ends at n.
void powers(const float* exponents, float ratio, std::size_t n, float* out);
void powers(const double* exponents, double ratio, std::size_t n, double* out);

/// The first place of the least of n >= 1 numbers.
std::size_t index_of_least(const float* numbers, std::size_t n);
std::size_t index_of_least(const double* numbers, std::size_t n);

/// cosines[i] = scale·cos(phases[i]) and sines[i] = scale·sin(phases[i]), i < n; 0 beyond n, up to padded(n). Phases
/// are within ±30000, beyond which the reduction to a period loses digits.
void waves(const float* phases, double scale, std::size_t n, double* cosines, double* sines);
void waves(const double* phases, double scale, std::size_t n, double* cosines, double* sines);

/// y[i] += factor·x[i], i < padded(n).
void add_scaled(float factor, const float* x, std::size_t n, float* y);
void add_scaled(double factor, const double* x, std::size_t n, double* y);
/// x[i] *= factor, i < padded(n).
void scale(double factor, std::size_t n, double* x);

/// Σ a[i]·b[i], i < n. Beyond n, up to padded(n), a[i]·b[i] must be 0.
float dot(const float* a, const float* b, std::size_t n);
double dot(const double* a, const double* b, std::size_t n);

/// Σ a[i]·b[i], i < n, of arrays that start anywhere and end there.
double dot_unaligned(const double* a, const double* b, std::size_t n);

/// aᵀ K a for a symmetric K with n rows, of which the lower triangle is given, row by row: not aligned, and it ends
/// where it ends.
double quadratic_form(const double* triangle, const double* a, std::size_t n);

/// The name of the instruction set in use.
const char* target();

}  // namespace alder::simd
