// Divides documents by a position in the order of a field: those at it and those after it. The order
// is that of `sort.ts`: numbers, then texts, then blank texts if descending, then no value; a
// document with several values stands at the first of them.
import { type ExactNumber, encoder } from '../../../format/bytes/index.ts'
import type { FieldReader } from '../../../format/columns/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import { valued } from './key-streams.ts'
import { type ColumnsSegment, candidateParts } from './segments.ts'
import type { SortDirection } from './sort.ts'

export type Divided = { readonly equal: IdSet; readonly after: IdSet }

/** Reads the postings of the values before the position. @throws CorruptionError */
export function divideAt(
  segments: readonly ColumnsSegment[],
  fieldId: FieldId,
  direction: SortDirection,
  value: ExactNumber | string | null,
  universe: IdSet,
): Divided {
  let before = IdSet.empty
  let equal = IdSet.empty
  let anyValue = IdSet.empty
  for (const { segment, set } of candidateParts(segments, universe)) {
    const field = segment.reader.field(fieldId)
    if (field === null) continue
    const idEnd = segment.reader.lastId + 1
    if (value === null) {
      anyValue = anyValue.or(valued(field).or(field.blanks()).and(set))
      continue
    }
    const earlier = new IdUnion(idEnd)
    const same = new IdUnion(idEnd)
    if (value === '') addAroundBlanks(field, direction, earlier, same)
    else if (typeof value === 'string') addAroundText(field, direction, value, earlier, same)
    else addAroundNumber(field, direction, value, earlier, same)
    before = before.or(earlier.take().and(set))
    equal = equal.or(same.take().and(set))
  }
  if (value === null) return { equal: universe.andNot(anyValue), after: IdSet.empty }
  equal = equal.andNot(before)
  return { equal, after: universe.andNot(before).andNot(equal) }
}

function addAroundNumber(
  field: FieldReader,
  direction: SortDirection,
  value: ExactNumber,
  earlier: IdUnion,
  same: IdUnion,
): void {
  const from = field.numberLowerBound(value)
  const to = field.numberUpperBound(value)
  if (direction === 'asc') field.addNumbers(0, from, earlier)
  else field.addNumbers(to, field.numberCount, earlier)
  field.addNumbers(from, to, same)
}

function addAroundText(
  field: FieldReader,
  direction: SortDirection,
  value: string,
  earlier: IdUnion,
  same: IdUnion,
): void {
  const key = encoder.encode(value)
  const from = field.stringLowerBound(key)
  const to = field.stringUpperBound(key)
  earlier.addSet(field.numberHolders())
  if (direction === 'asc') {
    earlier.addSet(field.blanks())
    field.addStrings(0, from, earlier)
  } else field.addStrings(to, field.stringCount, earlier)
  field.addStrings(from, to, same)
}

function addAroundBlanks(
  field: FieldReader,
  direction: SortDirection,
  earlier: IdUnion,
  same: IdUnion,
): void {
  earlier.addSet(direction === 'asc' ? field.numberHolders() : valued(field))
  same.addSet(field.blanks())
}
