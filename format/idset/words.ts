// Loops over the words of dense sets · representations: ./IDSET.md
//
// Bits are counted together: adders of three words give one word of the sums' ones and one of their
// twos, so that only one word in eight is counted (Harley and Seal; Hacker's Delight, 2nd ed.,
// §5–1). A loop that counts is then hardly slower than one that does not.

/** Returns the number of one bits (Hacker's Delight, 2nd ed., §5–1). */
export function popcount(x: number): number {
  x -= (x >>> 1) & 0x55555555
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Writes the first `end` words of both sets to `out`; returns their number of bits. */
export function andWords(
  left: Uint32Array,
  right: Uint32Array,
  out: Uint32Array,
  end: number,
): number {
  const whole = end & ~7
  let ones = 0
  let twos = 0
  let fours = 0
  let eights = 0
  for (let w = 0; w < whole; w += 8) {
    const a = left[w]! & right[w]!
    const b = left[w + 1]! & right[w + 1]!
    const c = left[w + 2]! & right[w + 2]!
    const d = left[w + 3]! & right[w + 3]!
    const e = left[w + 4]! & right[w + 4]!
    const f = left[w + 5]! & right[w + 5]!
    const g = left[w + 6]! & right[w + 6]!
    const h = left[w + 7]! & right[w + 7]!
    out[w] = a
    out[w + 1] = b
    out[w + 2] = c
    out[w + 3] = d
    out[w + 4] = e
    out[w + 5] = f
    out[w + 6] = g
    out[w + 7] = h
    let half = ones ^ a
    const twosA = (ones & a) | (half & b)
    ones = half ^ b
    half = ones ^ c
    const twosB = (ones & c) | (half & d)
    ones = half ^ d
    half = twos ^ twosA
    const foursA = (twos & twosA) | (half & twosB)
    twos = half ^ twosB
    half = ones ^ e
    const twosC = (ones & e) | (half & f)
    ones = half ^ f
    half = ones ^ g
    const twosD = (ones & g) | (half & h)
    ones = half ^ h
    half = twos ^ twosC
    const foursB = (twos & twosC) | (half & twosD)
    twos = half ^ twosD
    half = fours ^ foursA
    eights += popcount((fours & foursA) | (half & foursB))
    fours = half ^ foursB
  }
  let n = 8 * eights + 4 * popcount(fours) + 2 * popcount(twos) + popcount(ones)
  for (let w = whole; w < end; w++) n += popcount((out[w] = left[w]! & right[w]!))
  return n
}

/** Returns the number of bits of the first `count` words. */
export function popcountWords(words: Uint32Array, count = words.length): number {
  const whole = count & ~7
  let ones = 0
  let twos = 0
  let fours = 0
  let eights = 0
  for (let w = 0; w < whole; w += 8) {
    let half = ones ^ words[w]!
    const twosA = (ones & words[w]!) | (half & words[w + 1]!)
    ones = half ^ words[w + 1]!
    half = ones ^ words[w + 2]!
    const twosB = (ones & words[w + 2]!) | (half & words[w + 3]!)
    ones = half ^ words[w + 3]!
    half = twos ^ twosA
    const foursA = (twos & twosA) | (half & twosB)
    twos = half ^ twosB
    half = ones ^ words[w + 4]!
    const twosC = (ones & words[w + 4]!) | (half & words[w + 5]!)
    ones = half ^ words[w + 5]!
    half = ones ^ words[w + 6]!
    const twosD = (ones & words[w + 6]!) | (half & words[w + 7]!)
    ones = half ^ words[w + 7]!
    half = twos ^ twosC
    const foursB = (twos & twosC) | (half & twosD)
    twos = half ^ twosD
    half = fours ^ foursA
    eights += popcount((fours & foursA) | (half & foursB))
    fours = half ^ foursB
  }
  let n = 8 * eights + 4 * popcount(fours) + 2 * popcount(twos) + popcount(ones)
  for (let w = whole; w < count; w++) n += popcount(words[w]!)
  return n
}
