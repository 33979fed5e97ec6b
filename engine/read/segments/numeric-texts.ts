// The texts of a field that are numbers, in numeric order: a range of numbers includes them, because
// columns of real files mix `30` and `"30"`. Read once for each field of a segment, and only when a
// range asks for it.
import { decoder, type ExactNumber } from '../../../format/bytes/index.ts'
import type { FieldReader } from '../../../format/columns/index.ts'
import type { IdUnion } from '../../../format/idset/index.ts'
import { parseExact } from '../../text/index.ts'
import type { Checkpoint, NumberRange } from '../filter-syntax/index.ts'
import { forEachString } from './column-unions.ts'
import { OrdinalRanges } from './ordinal-ranges.ts'

/** Longer texts are not numbers that people write. */
const NUMBER_BYTES_MAX = 32
/** The first bytes of numbers, `+` to `9`, are next to each other. */
const FIRST = Uint8Array.of(0x2b)
const BEHIND = Uint8Array.of(0x3a)

type NumericTexts = {
  readonly numbers: ArrayLike<ExactNumber>
  readonly ordinals: Uint32Array
}

const known = new WeakMap<FieldReader, NumericTexts>()

/** Adds the documents with a text that is a number in any of the ranges. */
export function addNumericTexts(
  reader: FieldReader,
  within: readonly NumberRange[],
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  if (reader.stringCount === 0) return
  let texts = known.get(reader)
  if (texts === undefined) known.set(reader, (texts = read(reader, checkpoint)))
  const ranges = new OrdinalRanges()
  for (const range of within) {
    checkpoint()
    addRange(texts, range, ranges)
  }
  ranges.merged((from, to) => reader.addStrings(from, to, union))
}

function addRange(
  { numbers, ordinals }: NumericTexts,
  { low, lowInclusive, high, highInclusive }: NumberRange,
  ranges: OrdinalRanges,
): void {
  for (let i = firstFrom(numbers, low); i < numbers.length; i++) {
    const number = numbers[i]!
    if (number > high || (number === high && !highInclusive)) return
    if (number !== low || lowInclusive) ranges.add(ordinals[i]!, ordinals[i]! + 1)
  }
}

/** Returns the first index whose number is at least `low`. */
function firstFrom(numbers: ArrayLike<ExactNumber>, low: ExactNumber): number {
  let from = 0
  for (let to = numbers.length; from < to; ) {
    const middle = (from + to) >>> 1
    if (numbers[middle]! < low) from = middle + 1
    else to = middle
  }
  return from
}

function read(reader: FieldReader, checkpoint: Checkpoint): NumericTexts {
  const from = reader.stringLowerBound(FIRST)
  const to = reader.stringLowerBound(BEHIND)
  const found: [number: ExactNumber, ordinal: number][] = []
  if (from < to) {
    forEachString(reader, checkpoint, (ordinal, text, length) => {
      if (ordinal < from || ordinal >= to || length > NUMBER_BYTES_MAX) return
      const number = parseExact(decoder.decode(text.subarray(0, length)))
      if (number !== null) found.push([number, ordinal])
    })
  }
  found.sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
  const numbers = found.map(([number]) => number)
  return {
    numbers: numbers.every((one) => typeof one === 'number') ? Float64Array.from(numbers) : numbers,
    ordinals: Uint32Array.from(found, ([, ordinal]) => ordinal),
  }
}
