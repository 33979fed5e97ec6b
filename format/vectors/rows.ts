// One vector as it is stored: a float or four bits per number · ./VECTORS.md "Rows"
import { bytesOf } from '../bytes/index.ts'
import { assert } from '../errors.ts'

/** The form in which the vectors of an embedder are stored. */
export type RowForm = 'floats' | 'nibbles'

/**
 * Step between the sixteen levels of a number, for vectors with a root mean square of 1: optimal
 * for a normal distribution (Max, "Quantizing for minimum distortion", 1960).
 */
const STEP = 0.3352
const SIGN = 8
const MAGNITUDE_MAX = 7
const SCALE_BYTES = 4

/** Bytes of a row; a multiple of 4. */
export const rowBytes = (form: RowForm, dimensions: number): number =>
  form === 'floats' ? dimensions * 4 : SCALE_BYTES + Math.ceil(dimensions / 8) * 4

/** Writes a vector as a row at `at` of `out`. */
export function writeRow(form: RowForm, vector: Float32Array, out: Uint8Array, at: number): void {
  const length = rowBytes(form, vector.length)
  assert(at + length <= out.length, 'there is room for the row')
  if (form === 'floats') {
    out.set(bytesOf(vector), at)
    return
  }
  const step = Math.fround(STEP * rootMeanSquare(vector))
  new DataView(out.buffer, out.byteOffset + at, length).setFloat32(0, step, true)
  for (let d = 0; d < vector.length; d++) {
    const nibble = nibbleOf(vector[d]!, step)
    out[at + SCALE_BYTES + (d >>> 1)]! |= (d & 1) === 0 ? nibble : nibble << 4
  }
}

/** Reads the first `out.length` dimensions of the row at `at` into `out`. */
export function readRow(form: RowForm, bytes: Uint8Array, at: number, out: Float32Array): void {
  const length = rowBytes(form, out.length)
  assert(at + length <= bytes.length, 'a row is inside its bytes')
  if (form === 'floats') {
    bytesOf(out).set(bytes.subarray(at, at + length))
    return
  }
  const step = new DataView(bytes.buffer, bytes.byteOffset + at, length).getFloat32(0, true)
  for (let d = 0; d < out.length; d++) {
    const byte = bytes[at + SCALE_BYTES + (d >>> 1)]!
    out[d] = numberOf((d & 1) === 0 ? byte & 15 : byte >>> 4, step)
  }
}

/** Reads the row at `at` in the form shown to clients: for nibbles only the signs, as 1 and 0. */
export function readShownRow(
  form: RowForm,
  bytes: Uint8Array,
  at: number,
  out: Float32Array,
): void {
  if (form === 'floats') {
    readRow(form, bytes, at, out)
    return
  }
  for (let d = 0; d < out.length; d++) {
    const byte = bytes[at + SCALE_BYTES + (d >>> 1)]!
    out[d] = ((d & 1) === 0 ? byte & SIGN : (byte >>> 4) & SIGN) === 0 ? 0 : 1
  }
}

/**
 * Returns the number of dimensions in which the signs of a row of nibbles and of a vector differ.
 */
export function signsApart(bytes: Uint8Array, at: number, vector: Float32Array): number {
  let apart = 0
  for (let d = 0; d < vector.length; d++) {
    const byte = bytes[at + SCALE_BYTES + (d >>> 1)]!
    const isSet = ((d & 1) === 0 ? byte & SIGN : (byte >>> 4) & SIGN) !== 0
    if (isSet !== vector[d]! > 0) apart++
  }
  return apart
}

function rootMeanSquare(vector: Float32Array): number {
  let sum = 0
  for (const value of vector) sum += value * value
  const root = Math.sqrt(sum / vector.length)
  return Number.isFinite(root) ? root : 0
}

function nibbleOf(value: number, step: number): number {
  const sign = value > 0 ? SIGN : 0
  if (step === 0) return sign
  return sign | Math.min(MAGNITUDE_MAX, Math.floor(Math.abs(value) / step))
}

const numberOf = (nibble: number, step: number): number =>
  ((nibble & MAGNITUDE_MAX) + 0.5) * ((nibble & SIGN) === 0 ? -step : step)
