// The arithmetic of vector search, in AssemblyScript: WebAssembly with 128-bit SIMD. All arguments
// are addresses in the one memory (`KERNEL.md`).

/** Rows of a block of codes. */
const LANES: i32 = 16

/**
 * Estimates for `blocks` blocks of codes of 16 rows: `bytes` bytes a row, each of two nibbles.
 * `table`: for each byte the 16 values of its low nibble, then of its high nibble, together at most
 * 254. An estimate is factor · (scale · sum + bias); NaN counts as the best. Writes the estimates
 * at or above `least` to `found`, (row as u32, estimate as f32) each; returns their number.
 */
export function scan(
  codes: usize,
  blocks: i32,
  bytes: i32,
  table: usize,
  factors: usize,
  scale: f32,
  bias: f32,
  least: f32,
  found: usize,
): i32 {
  const low = i8x16.splat(15)
  const scales = f32x4.splat(scale)
  const biases = f32x4.splat(bias)
  const leasts = f32x4.splat(least)
  const begin = found
  for (let block = 0; block < blocks; block++) {
    let even = i16x8.splat(0)
    let odd = i16x8.splat(0)
    let at = table
    for (let i = 0; i < bytes; i++) {
      const code = v128.load(codes)
      const sum = i8x16.add(
        i8x16.swizzle(v128.load(at), v128.and(code, low)),
        // Shifts of 16 bits and a mask: x86 has no shifts of 8 bits.
        i8x16.swizzle(v128.load(at, 16), v128.and(i16x8.shr_u(code, 4), low)),
      )
      even = i16x8.add(even, sum)
      odd = i16x8.add(odd, i16x8.shr_u(sum, 8))
      codes += 16
      at += 32
    }
    even = i16x8.sub(even, i16x8.shl(odd, 8))
    // Rows 0, 2, 4 … and 1, 3, 5 … in order again.
    const first = i8x16.shuffle(
      even, odd, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23,
    )
    const second = i8x16.shuffle(
      even, odd, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31,
    )
    const row = block * LANES
    found = take(i32x4.extend_low_i16x8_u(first), factors, scales, biases, leasts, row, found)
    found = take(
      i32x4.extend_high_i16x8_u(first), factors + 16, scales, biases, leasts, row + 4, found,
    )
    found = take(
      i32x4.extend_low_i16x8_u(second), factors + 32, scales, biases, leasts, row + 8, found,
    )
    found = take(
      i32x4.extend_high_i16x8_u(second), factors + 48, scales, biases, leasts, row + 12, found,
    )
    factors += 64
  }
  return i32((found - begin) / 8)
}

@inline
function take(
  sums: v128,
  factors: usize,
  scales: v128,
  biases: v128,
  leasts: v128,
  row: i32,
  found: usize,
): usize {
  const inner = f32x4.add(f32x4.mul(f32x4.convert_i32x4_u(sums), scales), biases)
  const estimates = f32x4.mul(inner, v128.load(factors))
  // The negated comparison includes NaN.
  let taken = i32x4.bitmask(v128.not(f32x4.lt(estimates, leasts)))
  if (taken == 0) return found
  if (taken & 1) found = put(row, f32x4.extract_lane(estimates, 0), found)
  if (taken & 2) found = put(row + 1, f32x4.extract_lane(estimates, 1), found)
  if (taken & 4) found = put(row + 2, f32x4.extract_lane(estimates, 2), found)
  if (taken & 8) found = put(row + 3, f32x4.extract_lane(estimates, 3), found)
  return found
}

@inline
function put(row: i32, estimate: f32, found: usize): usize {
  store<i32>(found, row)
  store<f32>(found, estimate, 4)
  return found + 8
}

/**
 * Products of `query` with `count` rows of `dimensions` 32-bit floats, and the squares of their
 * lengths: two 32-bit floats a row, to `out`.
 */
export function products(
  rows: usize,
  count: i32,
  dimensions: i32,
  query: usize,
  out: usize,
): void {
  for (let row = 0; row < count; row++) {
    store<f32>(out, inner(rows, query, dimensions))
    store<f32>(out, inner(rows, rows, dimensions), 4)
    rows += usize(dimensions) << 2
    out += 8
  }
}

/**
 * Compares a row with `count` centers of `dimensions` 32-bit floats. A score is the product of both
 * minus the half of the center: the half of the square of its length. Writes 32-bit floats to `out`.
 */
export function scores(
  row: usize,
  dimensions: i32,
  centers: usize,
  halves: usize,
  count: i32,
  out: usize,
): void {
  for (let center = 0; center < count; center++) {
    store<f32>(out, inner(centers, row, dimensions) - load<f32>(halves))
    centers += usize(dimensions) << 2
    halves += 4
    out += 4
  }
}

/**
 * The inner product. Clients compare scores digit by digit, so the order of additions is fixed
 * (`format/vectors/VECTORS.md`, "Similarity"): from 32 dimensions on in four sums of eight lanes,
 * from 16 on in four sums of four lanes, the remainder one by one.
 */
function inner(a: usize, b: usize, dimensions: i32): f32 {
  let sum: f32 = 0
  let d = 0
  if (dimensions >= 32) {
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0)
    let s4 = f32x4.splat(0), s5 = f32x4.splat(0), s6 = f32x4.splat(0), s7 = f32x4.splat(0)
    for (const whole = dimensions & ~31; d < whole; d += 32) {
      s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)))
      s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)))
      s2 = f32x4.add(s2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)))
      s3 = f32x4.add(s3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)))
      s4 = f32x4.add(s4, f32x4.mul(v128.load(a, 64), v128.load(b, 64)))
      s5 = f32x4.add(s5, f32x4.mul(v128.load(a, 80), v128.load(b, 80)))
      s6 = f32x4.add(s6, f32x4.mul(v128.load(a, 96), v128.load(b, 96)))
      s7 = f32x4.add(s7, f32x4.mul(v128.load(a, 112), v128.load(b, 112)))
      a += 128
      b += 128
    }
    sum =
      total(f32x4.add(s0, s1)) +
      total(f32x4.add(s2, s3)) +
      total(f32x4.add(s4, s5)) +
      total(f32x4.add(s6, s7))
  } else if (dimensions >= 16) {
    sum =
      total(f32x4.mul(v128.load(a), v128.load(b))) +
      total(f32x4.mul(v128.load(a, 16), v128.load(b, 16))) +
      total(f32x4.mul(v128.load(a, 32), v128.load(b, 32))) +
      total(f32x4.mul(v128.load(a, 48), v128.load(b, 48)))
    a += 64
    b += 64
    d = 16
  }
  for (; d < dimensions; d++) {
    sum += load<f32>(a) * load<f32>(b)
    a += 4
    b += 4
  }
  return sum
}

@inline
function total(lanes: v128): f32 {
  return (
    f32x4.extract_lane(lanes, 0) +
    f32x4.extract_lane(lanes, 2) +
    (f32x4.extract_lane(lanes, 1) + f32x4.extract_lane(lanes, 3))
  )
}
