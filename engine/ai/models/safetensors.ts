// Weights of a model: a file of tensors with a JSON table in front. Little endian.
//
//   u64 bytes of the table · table: name → {dtype, shape, data_offsets} · data
import { MiB } from '../../../format/bytes/index.ts'
import { isObject } from '../../../format/schema/index.ts'
import { ModelFault } from './model-fault.ts'

export type Tensor = { readonly shape: readonly number[]; readonly values: Float32Array }

/** Bytes of the table: a model of a thousand tensors has 150 KB. */
const TABLE_BYTES_MAX = 16 * MiB

type Entry = {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly from: number
  readonly to: number
}

export class Weights {
  readonly #bytes: Uint8Array
  readonly #dataAt: number
  readonly #entries = new Map<string, Entry>()

  /** @throws ModelFault */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    if (bytes.length < 8) throw bad('it is too short')
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const length = Number(view.getBigUint64(0, true))
    if (length > TABLE_BYTES_MAX || 8 + length > bytes.length) throw bad('its table is too long')
    this.#dataAt = 8 + length
    for (const [name, value] of Object.entries(tableOf(bytes.subarray(8, 8 + length)))) {
      if (name !== '__metadata__') this.#entries.set(name, this.#entry(name, value))
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  get names(): Iterable<string> {
    return this.#entries.keys()
  }

  /** Returns a copy as 32-bit floats. @throws ModelFault if it is missing or of another shape */
  tensor(name: string, ...shape: readonly number[]): Tensor {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw bad(`the tensor \`${name}\` is missing`)
    if (entry.shape.length !== shape.length || entry.shape.some((n, i) => n !== shape[i])) {
      throw bad(`\`${name}\` has the shape [${entry.shape}], not [${shape}]`)
    }
    const { from, to } = entry
    const bytes = this.#bytes.slice(this.#dataAt + from, this.#dataAt + to)
    return { shape, values: floatsOf(entry.dtype, bytes.buffer) }
  }

  #entry(name: string, value: unknown): Entry {
    if (!isObject(value)) throw bad(`the entry of \`${name}\` is wrong`)
    const { dtype, shape, data_offsets: offsets } = value
    if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets)) {
      throw bad(`the entry of \`${name}\` is wrong`)
    }
    const [from = 0, to = 0] = offsets
    const width = WIDTHS.get(dtype)
    if (width === undefined) throw bad(`\`${name}\` has the type ${dtype}, which is not read here`)
    const values = shape.reduce((product, n) => product * n, 1)
    if (to - from !== values * width || this.#dataAt + to > this.#bytes.length) {
      throw bad(`\`${name}\` has other bytes than its shape says`)
    }
    return { dtype, shape, from, to }
  }
}

const bad = (text: string): ModelFault => new ModelFault(`\`model.safetensors\`: ${text}`)

const isCounts = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && (n as number) >= 0)

function tableOf(bytes: Uint8Array): object {
  try {
    const table: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (isObject(table)) return table
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw bad('its table is not JSON')
}

/** Type → bytes per value. */
const WIDTHS: ReadonlyMap<string, number> = new Map([
  ['F32', 4],
  ['F16', 2],
  ['BF16', 2],
  ['I64', 8],
])

function floatsOf(dtype: string, buffer: ArrayBuffer): Float32Array {
  if (dtype === 'F32') return new Float32Array(buffer)
  if (dtype === 'F16') return Float32Array.from(new Uint16Array(buffer), halfToFloat)
  if (dtype === 'BF16') {
    const bits = Uint32Array.from(new Uint16Array(buffer), (half) => half << 16)
    return new Float32Array(bits.buffer)
  }
  return Float32Array.from(new BigInt64Array(buffer), Number)
}

function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
