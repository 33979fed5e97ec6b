// Vectors as JSON: each number as the shortest decimal that converts back to the same 32-bit float.
import { BRACKET, BRACKET_END, COMMA } from '../bytes/index.ts'
import { floatText, type JsonBuffer } from '../json/index.ts'

/** Most digits needed to distinguish two 32-bit floats; numbers written by people need fewer. */
const DIGITS_MAX = 9
const DIGITS_MIN = 6

/** Appends a list of lists. A number that is not finite becomes null. */
export function writeVectorsJson(vectors: readonly Float32Array[], out: JsonBuffer): void {
  out.byte(BRACKET)
  vectors.forEach((vector, i) => {
    if (i > 0) out.byte(COMMA)
    out.byte(BRACKET)
    for (let d = 0; d < vector.length; d++) {
      if (d > 0) out.byte(COMMA)
      out.ascii(floatText32(vector[d]!))
    }
    out.byte(BRACKET_END)
  })
  out.byte(BRACKET_END)
}

/** Returns a 32-bit float as JSON. */
function floatText32(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return floatText(value)
  for (let digits = DIGITS_MIN; digits < DIGITS_MAX; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return floatText(short)
  }
  return floatText(Number(value.toPrecision(DIGITS_MAX)))
}
