// Multi-head attention over the tokens of one text.
import { dot, softmax } from './math.ts'

/** Queries, keys and values: rows of `heads` × `width` values each. */
export type Projected = {
  readonly queries: Float32Array
  readonly keys: Float32Array
  readonly values: Float32Array
}

export type AttentionShape = {
  readonly tokens: number
  readonly heads: number
  /** Values per head. */
  readonly width: number
  /** Distance up to which tokens attend to each other, on either side; infinite: to all. */
  readonly reach: number
}

/** Returns for each token the values of the others, weighted by the likeness of query and key. */
export function attend({ queries, keys, values }: Projected, shape: AttentionShape): Float32Array {
  const { tokens, heads, width, reach } = shape
  const stride = heads * width
  const scale = 1 / Math.sqrt(width)
  const out = new Float32Array(tokens * stride)
  const shares = new Float32Array(tokens)
  for (let head = 0; head < heads; head++) {
    const offset = head * width
    for (let t = 0; t < tokens; t++) {
      const first = Math.max(0, t - reach)
      const last = Math.min(tokens - 1, t + reach)
      const query = t * stride + offset
      for (let other = first; other <= last; other++) {
        shares[other] = scale * dot(queries, query, keys, other * stride + offset, width)
      }
      softmax(shares, first, last - first + 1)
      for (let other = first; other <= last; other++) {
        const share = shares[other]!
        const from = other * stride + offset
        for (let i = 0; i < width; i++) out[query + i]! += share * values[from + i]!
      }
    }
  }
  return out
}

/**
 * Rotates pairs of values of each head, in place, by an angle that grows with the position of the
 * token: Su and others, RoFormer, 2021. The two values of a pair are half a head apart.
 */
export function rotate(
  rows: Float32Array,
  { tokens, heads, width }: AttentionShape,
  theta: number,
): void {
  const half = width / 2
  for (let i = 0; i < half; i++) {
    const speed = theta ** ((-2 * i) / width)
    for (let t = 0; t < tokens; t++) {
      const cos = Math.cos(t * speed)
      const sin = Math.sin(t * speed)
      for (let head = 0; head < heads; head++) {
        const at = (t * heads + head) * width + i
        const a = rows[at]!
        const b = rows[at + half]!
        rows[at] = a * cos - b * sin
        rows[at + half] = b * cos + a * sin
      }
    }
  }
}
