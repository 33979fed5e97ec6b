// Evaluates many conditions of one kind on one field of one segment together and adds their
// documents to one union. A few texts or numbers are looked up one by one, many are matched in one
// walk over the dictionary.

import { type ExactNumber, encoder, isBelow } from '../../../format/bytes/index.ts'
import type { FieldReader } from '../../../format/columns/index.ts'
import type { TermOrdinal } from '../../../format/ids.ts'
import type { IdUnion } from '../../../format/idset/index.ts'
import { facetPrefixes } from '../../text/index.ts'
import type { Checkpoint, NumberRange, TextRange } from '../filter-syntax/index.ts'
import type { Needles } from './needles.ts'
import { OrdinalRanges } from './ordinal-ranges.ts'

/** Values between two checks of the clock: about 0.1 ms. */
const STRIDE = 1024
/** A lookup takes as long as this many steps of a walk. Measured: 1.1 µs, 0.25 µs. */
const STEPS_PER_LOOKUP = 4

/** `values` are ascending, −0 before 0. */
export function addNumbersIn(
  reader: FieldReader,
  values: ArrayLike<ExactNumber>,
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  const ranges = new OrdinalRanges()
  if (values.length > reader.numberCount) mergeNumbers(reader, values, ranges, checkpoint)
  else {
    for (let i = 0; i < values.length; i++) {
      if (i % STRIDE === 0) checkpoint()
      const ordinal = reader.findNumber(values[i]!)
      if (ordinal >= 0) ranges.add(ordinal, ordinal + 1)
    }
  }
  ranges.merged((from, to) => reader.addNumbers(from, to, union))
}

function mergeNumbers(
  reader: FieldReader,
  values: ArrayLike<ExactNumber>,
  ranges: OrdinalRanges,
  checkpoint: Checkpoint,
): void {
  let i = 0
  for (let ordinal = 0; ordinal < reader.numberCount; ordinal++) {
    if (ordinal % STRIDE === 0) checkpoint()
    const number = reader.numberAt(ordinal)
    while (i < values.length && isBelow(values[i]!, number)) i++
    if (i < values.length && Object.is(values[i], number)) ranges.add(ordinal, ordinal + 1)
  }
}

/** `texts` are distinct and not empty. */
export function addStringsIn(
  reader: FieldReader,
  texts: ReadonlySet<string>,
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  const ranges = new OrdinalRanges()
  if (texts.size * STEPS_PER_LOOKUP > reader.stringCount) {
    forEachString(reader, checkpoint, (ordinal, text, length) => {
      if (texts.has(text.toString('utf8', 0, length))) ranges.add(ordinal, ordinal + 1)
    })
  } else {
    let i = 0
    for (const text of texts) {
      if (i++ % STRIDE === 0) checkpoint()
      const ordinal = reader.findString(encoder.encode(text))
      if (ordinal >= 0) ranges.add(ordinal, ordinal + 1)
    }
  }
  ranges.merged((from, to) => reader.addStrings(from, to, union))
}

/** Columns hold −0 before 0; a bound at zero has both of them on the same side. */
const zeroBefore = (bound: ExactNumber, isBefore: boolean): ExactNumber =>
  bound === 0 ? (isBefore ? -0 : 0) : bound

export function addNumbersWithin(
  reader: FieldReader,
  within: readonly NumberRange[],
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  const ranges = new OrdinalRanges()
  for (let i = 0; i < within.length; i++) {
    if (i % STRIDE === 0) checkpoint()
    const { lowInclusive, highInclusive } = within[i]!
    const low = zeroBefore(within[i]!.low, lowInclusive)
    const high = zeroBefore(within[i]!.high, !highInclusive)
    const from = lowInclusive ? reader.numberLowerBound(low) : reader.numberUpperBound(low)
    const to = highInclusive ? reader.numberUpperBound(high) : reader.numberLowerBound(high)
    ranges.add(from, to)
  }
  ranges.merged((from, to) => reader.addNumbers(from, to, union))
}

export function addStringsWithin(
  reader: FieldReader,
  within: readonly TextRange[],
  prefixes: readonly string[],
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  const ranges = new OrdinalRanges()
  for (let i = 0; i < within.length; i++) {
    if (i % STRIDE === 0) checkpoint()
    addTextRange(reader, within[i]!, ranges)
  }
  for (let i = 0; i < prefixes.length; i++) {
    if (i % STRIDE === 0) checkpoint()
    for (const prefix of facetPrefixes(prefixes[i]!)) {
      const key = encoder.encode(prefix)
      ranges.add(reader.stringLowerBound(key), reader.stringPrefixEnd(key))
    }
  }
  ranges.merged((from, to) => reader.addStrings(from, to, union))
}

function addTextRange(reader: FieldReader, range: TextRange, ranges: OrdinalRanges): void {
  const { low, lowInclusive, high, highInclusive } = range
  const first = encoder.encode(low)
  const from = lowInclusive ? reader.stringLowerBound(first) : reader.stringUpperBound(first)
  if (high === null) {
    ranges.add(from, reader.stringCount)
    return
  }
  const last = encoder.encode(high)
  ranges.add(from, highInclusive ? reader.stringUpperBound(last) : reader.stringLowerBound(last))
}

export function addContaining(
  reader: FieldReader,
  needles: Needles,
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  const ranges = new OrdinalRanges()
  forEachString(reader, checkpoint, (ordinal, text, length) => {
    if (needles.occursIn(text, length)) ranges.add(ordinal, ordinal + 1)
  })
  ranges.merged((from, to) => reader.addStrings(from, to, union))
}

/** Returns the ordinals of the strings that contain each needle, by its rank. */
export function containingEach(
  reader: FieldReader,
  needles: Needles,
  checkpoint: Checkpoint,
): readonly OrdinalRanges[] {
  const ranges = Array.from({ length: needles.count }, () => new OrdinalRanges())
  const seen = new Uint32Array(needles.count)
  let current = 0
  const found = (rank: number): void => ranges[rank]!.add(current, current + 1)
  forEachString(reader, checkpoint, (ordinal, text, length) => {
    current = ordinal
    needles.collect(text, length, seen, ordinal + 1, found)
  })
  return ranges
}

/** Calls `take` with every string in order; its bytes are overwritten by the next one. */
export function forEachString(
  reader: FieldReader,
  checkpoint: Checkpoint,
  take: (ordinal: TermOrdinal, text: Buffer, length: number) => void,
): void {
  const walk = reader.walkStrings()
  if (walk === null) return
  const { buffer, byteOffset, byteLength } = walk.bytes
  const text = Buffer.from(buffer, byteOffset, byteLength)
  for (let ordinal = 0; walk.next(); ordinal++) {
    if (ordinal % STRIDE === 0) checkpoint()
    take(ordinal, text, walk.length)
  }
}
