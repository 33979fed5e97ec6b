// The arithmetic of vector search, in AssemblyScript: WebAssembly with 128-bit SIMD. Compiled by
// `scripts/build/kernel.mjs` into `format/vectors/kernel-module.table.ts`. Everything is told by
// addresses in the one memory.

/** Rows of a block of codes. */
const LANES: i32 = 16

/**
 * Estimates for `blocks` blocks of codes of 16 rows: `bytes` bytes a row, each of two nibbles.
 * `table`: for each byte the 16 values of its low nibble, then of its high nibble, together at most
 * 254. An estimate is factor · (scale · sum + bias); NaN counts as the best. Writes the estimates
 * at or above `least` to `found`, (row as u32, estimate as f32) each; returns how many.
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
  // Not below, so that NaN is taken.
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
  const whole = dimensions & ~7
  for (let row = 0; row < count; row++) {
    let product = f32x4.splat(0)
    let square = f32x4.splat(0)
    let product2 = f32x4.splat(0)
    let square2 = f32x4.splat(0)
    let at = query
    let d = 0
    for (; d < whole; d += 8) {
      const a = v128.load(rows)
      const b = v128.load(rows, 16)
      product = f32x4.add(product, f32x4.mul(a, v128.load(at)))
      square = f32x4.add(square, f32x4.mul(a, a))
      product2 = f32x4.add(product2, f32x4.mul(b, v128.load(at, 16)))
      square2 = f32x4.add(square2, f32x4.mul(b, b))
      rows += 32
      at += 32
    }
    product = f32x4.add(product, product2)
    square = f32x4.add(square, square2)
    let productSum = total(product)
    let squareSum = total(square)
    for (; d < dimensions; d++) {
      const a = load<f32>(rows)
      productSum += a * load<f32>(at)
      squareSum += a * a
      rows += 4
      at += 4
    }
    store<f32>(out, productSum)
    store<f32>(out, squareSum, 4)
    out += 8
  }
}

@inline
function total(lanes: v128): f32 {
  return (
    f32x4.extract_lane(lanes, 0) +
    f32x4.extract_lane(lanes, 1) +
    (f32x4.extract_lane(lanes, 2) + f32x4.extract_lane(lanes, 3))
  )
}
