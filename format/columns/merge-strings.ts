// Merges the strings of a field from several segments by walking all dictionaries together, in byte
// order. Most strings occur in one segment with one original: those are copied without an object
// per string.
import { ByteWriter, compareBytes } from '../bytes/index.ts'
import {
  type StringSlices,
  type StringsData,
  type StringWalk,
  Uint32List,
} from '../fields/index.ts'
import { type FieldInput, type LiveRows, liveRows, mergeRows } from './merge-rows.ts'
import type { StringColumn } from './string-column.ts'

/**
 * The state of one segment's walk over its strings; strings that no live document has are skipped.
 */
type Source = {
  readonly column: StringColumn
  readonly rows: LiveRows
  readonly walk: StringWalk
  /** The variants of the current string are [first, end). */
  first: number
  end: number
  isDone: boolean
  /** By variant of the segment: variant of the result. */
  readonly map: Uint32Array
}

export function mergeStrings(inputs: readonly FieldInput[]): StringsData | null {
  const sources: Source[] = []
  for (const input of inputs) {
    const { field } = input
    if (field.strings === null) continue
    const rows = liveRows(field.strings.rows, input)
    if (rows.ids.length > 0) sources.push(sourceOf(field.strings, rows))
  }
  if (sources.length === 0) return null
  const normalised = new SliceWriter()
  const originals = new SliceWriter()
  const normalisedOf = new Uint32List()
  for (const source of sources) advance(source)
  for (let lowest = lowestOf(sources); lowest !== null; lowest = lowestOf(sources)) {
    const { walk } = lowest
    const variant = onlyVariant(sources, lowest)
    if (variant >= 0) {
      const key = walk.bytes.subarray(0, walk.length)
      lowest.map[variant] = originals.count
      originals.add(lowest.column.originals.restore(variant, key))
      normalisedOf.push(normalised.count)
      normalised.add(key)
      advance(lowest)
      continue
    }
    const key = walk.bytes.slice(0, walk.length)
    for (const text of variantsOf(sources, key, originals.count)) {
      originals.add(text)
      normalisedOf.push(normalised.count)
    }
    normalised.add(key)
  }
  const live: LiveRows[] = []
  const maps: Uint32Array[] = []
  for (const source of sources) {
    live.push(source.rows)
    maps.push(source.map)
  }
  const rows = mergeRows(live, maps, normalisedOf.view())
  return {
    normalised: normalised.finish(),
    originals: originals.finish(),
    normalisedOf: normalisedOf.view(),
    rows,
  }
}

const sourceOf = (column: StringColumn, rows: LiveRows): Source => ({
  column,
  rows,
  walk: column.dictionary.walk(),
  first: 0,
  end: 0,
  isDone: false,
  map: new Uint32Array(column.originals.count),
})

/**
 * Moves to the next string that a live document has.
 * @throws CorruptionError if strings do not ascend
 */
function advance(source: Source): void {
  const { originals } = source.column
  while (source.walk.next(true)) {
    source.first = source.end
    source.end = source.first + 1
    while (
      !originals.areSingle &&
      source.end < originals.count &&
      originals.normalisedOf(source.end) === source.walk.ordinal
    ) {
      source.end++
    }
    for (let v = source.first; v < source.end; v++) if (source.rows.used[v] === 1) return
  }
  source.isDone = true
}

function lowestOf(sources: readonly Source[]): Source | null {
  let lowest: Source | null = null
  for (const source of sources) {
    if (source.isDone) continue
    if (lowest === null || source.walk.compareTo(lowest.walk) < 0) lowest = source
  }
  return lowest
}

/**
 * Returns the variant of the lowest string if no other segment has the string, and no live document
 * another variant of it; else -1.
 */
function onlyVariant(sources: readonly Source[], lowest: Source): number {
  for (const source of sources) {
    if (source === lowest || source.isDone) continue
    if (source.walk.compareTo(lowest.walk) === 0) return -1
  }
  let found = -1
  for (let variant = lowest.first; variant < lowest.end; variant++) {
    if (lowest.rows.used[variant] === 0) continue
    if (found >= 0) return -1
    found = variant
  }
  return found
}

/**
 * Returns the distinct originals of string `key` in all segments, in byte order. They become the
 * variants from `firstVariant` on. Segments that have the string move to their next one.
 */
function variantsOf(
  sources: readonly Source[],
  key: Uint8Array,
  firstVariant: number,
): Uint8Array[] {
  const found: { readonly text: Uint8Array; readonly source: Source; readonly variant: number }[] =
    []
  for (const source of sources) {
    if (source.isDone || source.walk.compare(key) !== 0) continue
    for (let variant = source.first; variant < source.end; variant++) {
      if (source.rows.used[variant] === 0) continue
      found.push({ text: source.column.originals.restore(variant, key), source, variant })
    }
    advance(source)
  }
  if (found.length > 1) found.sort((a, b) => compareBytes(a.text, b.text))
  const texts: Uint8Array[] = []
  for (const { text, source, variant } of found) {
    const last = texts[texts.length - 1]
    if (last === undefined || compareBytes(last, text) !== 0) texts.push(text)
    source.map[variant] = firstVariant + texts.length - 1
  }
  return texts
}

/** Collects concatenated strings. */
class SliceWriter {
  readonly #bytes = new ByteWriter(1024)
  readonly #ends = new Uint32List()

  get count(): number {
    return this.#ends.length
  }

  add(text: Uint8Array): void {
    this.#bytes.bytes(text)
    this.#ends.push(this.#bytes.length)
  }

  finish(): StringSlices {
    const ends = this.#ends.view()
    const starts = new Uint32Array(ends.length)
    starts.set(ends.subarray(0, ends.length - 1), 1)
    return { bytes: this.#bytes.view(), starts, ends }
  }
}
