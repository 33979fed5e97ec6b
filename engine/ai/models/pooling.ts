// Computes one vector from the rows of a text's tokens.
import { isObject } from '../../../format/schema/index.ts'

type Pooling = 'cls' | 'mean' | 'last' | 'meanSqrt' | 'max'

/** The first member that is true in a model's file decides. */
const MEMBERS: readonly (readonly [member: string, pooling: Pooling])[] = [
  ['pooling_mode_cls_token', 'cls'],
  ['pooling_mode_mean_tokens', 'mean'],
  ['pooling_mode_lasttoken', 'last'],
  ['pooling_mode_mean_sqrt_len_tokens', 'meanSqrt'],
  ['pooling_mode_max_tokens', 'max'],
]

/** `json`: the content of `1_Pooling/config.json`, or null without that file. */
export function poolingOf(json: unknown, setting: 'useModel' | 'forceCls' | 'forceMean'): Pooling {
  if (setting === 'forceCls') return 'cls'
  if (setting === 'forceMean' || !isObject(json)) return 'mean'
  return MEMBERS.find(([member]) => json[member] === true)?.[1] ?? 'mean'
}

/** `rows`: `tokens` × `width` values. */
export function pool(
  rows: Float32Array,
  tokens: number,
  width: number,
  how: Pooling,
): Float32Array {
  if (how === 'cls') return rows.slice(0, width)
  if (how === 'last') return rows.slice((tokens - 1) * width, tokens * width)
  const vector = new Float32Array(width)
  const divisor = how === 'mean' ? tokens : Math.sqrt(tokens)
  for (let i = 0; i < width; i++) {
    let sum = 0
    let max = Number.NEGATIVE_INFINITY
    for (let t = 0; t < tokens; t++) {
      const value = rows[t * width + i]!
      sum += value
      max = Math.max(max, value)
    }
    vector[i] = how === 'max' ? max : sum / divisor
  }
  return vector
}
