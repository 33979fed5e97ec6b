// The arithmetic of transformers, on rows of 32-bit floats: row r of a matrix of width w is
// [r × w, (r + 1) × w).

/** Computes y = x·Wᵀ + b. `weight`: a row for each output. Returns rows of `outputs`. */
export function linear(
  x: Float32Array,
  rows: number,
  inputs: number,
  weight: Float32Array,
  bias: Float32Array | null,
  outputs: number,
): Float32Array {
  const y = new Float32Array(rows * outputs)
  let r = 0
  for (; r + 1 < rows; r += 2) twoRows(x, r, inputs, weight, bias, outputs, y)
  if (r < rows) oneRow(x, r, inputs, weight, bias, outputs, y)
  return y
}

/** Computes two rows and two outputs at a time, so that each value read is used twice. */
function twoRows(
  x: Float32Array,
  r: number,
  inputs: number,
  weight: Float32Array,
  bias: Float32Array | null,
  outputs: number,
  y: Float32Array,
): void {
  const a = r * inputs
  const b = a + inputs
  let o = 0
  for (; o + 1 < outputs; o += 2) {
    const u = o * inputs
    const v = u + inputs
    let au = 0
    let av = 0
    let bu = 0
    let bv = 0
    for (let i = 0; i < inputs; i++) {
      const xa = x[a + i]!
      const xb = x[b + i]!
      const wu = weight[u + i]!
      const wv = weight[v + i]!
      au += xa * wu
      av += xa * wv
      bu += xb * wu
      bv += xb * wv
    }
    const first = bias === null ? 0 : bias[o]!
    const second = bias === null ? 0 : bias[o + 1]!
    y[r * outputs + o] = au + first
    y[r * outputs + o + 1] = av + second
    y[(r + 1) * outputs + o] = bu + first
    y[(r + 1) * outputs + o + 1] = bv + second
  }
  if (o === outputs) return
  y[r * outputs + o] = dot(x, a, weight, o * inputs, inputs) + (bias?.[o] ?? 0)
  y[(r + 1) * outputs + o] = dot(x, b, weight, o * inputs, inputs) + (bias?.[o] ?? 0)
}

function oneRow(
  x: Float32Array,
  r: number,
  inputs: number,
  weight: Float32Array,
  bias: Float32Array | null,
  outputs: number,
  y: Float32Array,
): void {
  for (let o = 0; o < outputs; o++) {
    y[r * outputs + o] = dot(x, r * inputs, weight, o * inputs, inputs) + (bias?.[o] ?? 0)
  }
}

/** Dot product of `count` values, from `i` of `x` and from `j` of `y`. */
export function dot(x: Float32Array, i: number, y: Float32Array, j: number, count: number): number {
  let sum = 0
  for (let k = 0; k < count; k++) sum += x[i + k]! * y[j + k]!
  return sum
}

/** Adds `y` to `x`, in place. */
export function addTo(x: Float32Array, y: Float32Array): Float32Array {
  for (let i = 0; i < x.length; i++) x[i]! += y[i]!
  return x
}

/** Normalises each row to mean 0 and variance 1, then scales and shifts it; returns a new array. */
export function layerNorm(
  x: Float32Array,
  width: number,
  scale: Float32Array,
  shift: Float32Array | null,
  epsilon: number,
): Float32Array {
  const y = new Float32Array(x.length)
  for (let at = 0; at < x.length; at += width) {
    let sum = 0
    for (let i = 0; i < width; i++) sum += x[at + i]!
    const mean = sum / width
    let squares = 0
    for (let i = 0; i < width; i++) squares += (x[at + i]! - mean) ** 2
    const factor = 1 / Math.sqrt(squares / width + epsilon)
    for (let i = 0; i < width; i++) {
      y[at + i] = (x[at + i]! - mean) * factor * scale[i]! + (shift === null ? 0 : shift[i]!)
    }
  }
  return y
}

export type Activation = (x: number) => number

/** x·Φ(x), exact. */
const gelu: Activation = (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2))
const geluTanh: Activation = (x) =>
  0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))

/** By the name in a model's configuration. */
export const ACTIVATIONS: ReadonlyMap<string, Activation> = new Map([
  ['gelu', gelu],
  ['gelu_new', geluTanh],
  ['gelu_pytorch_tanh', geluTanh],
  ['gelu_approximate', geluTanh],
  ['relu', (x: number) => Math.max(x, 0)],
  ['silu', (x: number) => x / (1 + Math.exp(-x))],
])

/** Accurate to 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 7.1.26. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x))
  const terms = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
  const sum = terms.reduce((polynomial, term) => (polynomial + term) * t, 0)
  const value = 1 - sum * Math.exp(-x * x)
  return x < 0 ? -value : value
}

/** Turns `count` scores from `at` on into weights that sum to one, in place. */
export function softmax(scores: Float32Array, at: number, count: number): void {
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i < count; i++) max = Math.max(max, scores[at + i]!)
  let sum = 0
  for (let i = 0; i < count; i++) {
    const share = Math.exp(scores[at + i]! - max)
    scores[at + i] = share
    sum += share
  }
  for (let i = 0; i < count; i++) scores[at + i]! /= sum
}
