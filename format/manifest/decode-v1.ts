// Decodes edits from untrusted bytes · layout: ./MANIFEST.md

import { DecodeError, Decoder } from '@msgpack/msgpack'
import { strictDecoder } from '../bytes/index.ts'
import { refuse, VersionError } from '../errors.ts'
import {
  asBatchUid,
  asIndexNo,
  asIndexUid,
  asSegmentNo,
  type BatchUid,
  FIELDS_MAX,
  type FieldId,
  type IndexNo,
  type IndexUid,
  type SegmentNo,
} from '../ids.ts'
import { decodeTombstones, SEGMENT_DOCUMENTS_MAX } from '../tombstones/index.ts'
import type { Change, Edit } from './changes.ts'
import { FLAG_CHECKPOINT, MANIFEST_VERSION, TAGS } from './encode-v1.ts'
import { isLayerName, type Layer, NUMBERED_LAYERS } from './layer-name.ts'
import { INDEX_UID_BYTES_MAX, SEGMENT_BYTES_MAX, U32_MAX } from './limits.ts'

const KINDS: ReadonlyMap<number, Change['kind']> = new Map(
  Object.entries(TAGS).map(([kind, tag]) => [tag, kind as Change['kind']]),
)

// Strings stay bytes here: the package's own decoding accepts broken UTF-8 and, from 200 bytes on,
// drops a byte order mark.
const decoder = new Decoder({ rawStrings: true })

/**
 * Decodes the edit in `bytes`. Inline frames, values and records of batches are views of `bytes`,
 * at any alignment; a caller that keeps them must copy them. Copying here would be mostly for
 * segments that a later edit removes.
 * @throws CorruptionError, VersionError
 */
export function decodeEdit(bytes: Uint8Array): Edit {
  const outer = new Row('edit', 0, unpack(bytes))
  const version = outer.count()
  if (version !== MANIFEST_VERSION) {
    throw new VersionError('edit', version, MANIFEST_VERSION, MANIFEST_VERSION)
  }
  const flags = outer.count(FLAG_CHECKPOINT)
  const sequence = outer.count()
  const rows = outer.array()
  outer.end()
  const section = `edit ${sequence}`
  const changes = rows.map((row, i) => decodeChange(new Row(section, i, row)))
  return { sequence, checkpoint: flags === FLAG_CHECKPOINT, changes }
}

function unpack(bytes: Uint8Array): unknown {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    // The package throws only these two errors for invalid bytes.
    if (!(error instanceof DecodeError || error instanceof RangeError)) throw error
    return refuse('edit', 0, 'bad_value', 'MessagePack', error.message)
  }
}

function decodeChange(row: Row): Change {
  const tag = row.count()
  const kind = KINDS.get(tag)
  if (kind === undefined) return row.refuse('a known tag', tag)
  const change = decodeMembers(row, kind)
  row.end()
  return change
}

function decodeMembers(row: Row, kind: Change['kind']): Change {
  switch (kind) {
    case 'index-created':
      return {
        kind,
        index: row.index(),
        uid: row.uid(),
        primaryKey: row.textOrNull(),
        at: row.count(),
        settings: row.text(),
      }
    case 'index-removed':
      return { kind, index: row.index() }
    case 'index-renamed':
      return { kind, index: row.index(), uid: row.uid() }
    case 'primary-key-set':
      return { kind, index: row.index(), primaryKey: row.textOrNull() }
    case 'index-touched':
      return { kind, index: row.index(), at: row.count() }
    case 'settings-set':
      return { kind, index: row.index(), settings: row.text() }
    case 'fields-added':
      return { kind, index: row.index(), names: row.texts(FIELDS_MAX) }
    case 'field-counts':
      return { kind, index: row.index(), counts: fieldCounts(row) }
    case 'vector-counts':
      return { kind, index: row.index(), vectors: row.difference(), documents: row.difference() }
    case 'segment-added':
      return segmentAdded(row)
    case 'segment-removed':
      return { kind, index: row.index(), segment: row.segment() }
    case 'tombstones-added':
      return { kind, index: row.index(), segment: row.segment(), ...decodeTombstones(row.bytes()) }
    case 'tasks-finished':
      return { kind, batch: row.batch(), record: row.bytes() }
    case 'value-set':
      return { kind, space: row.text(), key: row.text(), value: row.bytesOrNull() }
    case 'numbers':
      return { kind, nextIndex: asIndexNo(row.count()), nextSegment: row.segment() }
    default:
      return kind satisfies never
  }
}

function segmentAdded(row: Row): Change {
  const index = row.index()
  const segment = row.segment()
  const layer = row.layer()
  const documents = row.count(SEGMENT_DOCUMENTS_MAX)
  const idMin = row.u32()
  const idMax = row.u32()
  if (idMin > idMax) row.refuse(`idMax from ${idMin} on`, idMax)
  const bytes = row.count(SEGMENT_BYTES_MAX)
  const place = row.next()
  if (!(place instanceof Uint8Array)) {
    const location = { kind: 'file', checksum: row.number(place, U32_MAX) } as const
    return {
      kind: 'segment-added',
      index,
      segment,
      layer,
      documents,
      idMin,
      idMax,
      bytes,
      location,
    }
  }
  if (place.length !== bytes) row.refuse(`a frame of ${bytes} bytes`, place.length)
  const location = { kind: 'inline', frame: place } as const
  return { kind: 'segment-added', index, segment, layer, documents, idMin, idMax, bytes, location }
}

function fieldCounts(row: Row): readonly (readonly [FieldId, number])[] {
  const flat = row.array()
  const counts: (readonly [FieldId, number])[] = []
  let last = -1
  for (let i = 0; i < flat.length; i += 2) {
    const field = row.number(flat[i], FIELDS_MAX - 1)
    const difference = flat[i + 1]
    if (field <= last) row.refuse(`a field id above ${last}`, field)
    if (!Number.isSafeInteger(difference)) row.refuse('an integer', typeof difference)
    counts.push([field, difference as number])
    last = field
  }
  return counts
}

/** Reads the elements of one array in order and checks each. */
class Row {
  readonly #values: readonly unknown[]
  #at = 0
  constructor(
    readonly section: string,
    /** Position of the change in its edit. */
    readonly position: number,
    values: unknown,
  ) {
    this.#values = Array.isArray(values) ? values : this.refuse('an array', typeof values)
  }

  refuse(expected: string, got: string | number): never {
    return refuse(this.section, this.position, 'bad_value', expected, got)
  }

  /** Returns undefined at the end, which no element may be. */
  next(): unknown {
    return this.#values[this.#at++]
  }

  end(): void {
    const surplus = this.#values.length - this.#at
    if (surplus !== 0) this.refuse('the end', `${surplus} more elements`)
  }

  /** Returns true if the next element is nil, and then skips it. */
  isNull(): boolean {
    const found = this.#values[this.#at] === null
    if (found) this.#at++
    return found
  }

  number(value: unknown, max: number): number {
    if (!Number.isSafeInteger(value)) this.refuse('an integer', typeof value)
    const number = value as number
    if (number < 0 || number > max) this.refuse(`0 to ${max}`, number)
    return number
  }

  count(max = Number.MAX_SAFE_INTEGER): number {
    return this.number(this.next(), max)
  }

  /** Reads an integer of either sign. */
  difference(): number {
    const value = this.next()
    if (!Number.isSafeInteger(value)) this.refuse('an integer', typeof value)
    return value as number
  }

  u32(): number {
    return this.count(U32_MAX)
  }

  index(): IndexNo {
    return asIndexNo(this.u32())
  }

  segment(): SegmentNo {
    return asSegmentNo(this.count())
  }

  batch(): BatchUid {
    return asBatchUid(this.u32())
  }

  bytes(): Uint8Array {
    const value = this.next()
    return value instanceof Uint8Array ? value : this.refuse('bytes', typeof value)
  }

  bytesOrNull(): Uint8Array | null {
    return this.isNull() ? null : this.bytes()
  }

  text(): string {
    return this.#textOf(this.next())
  }

  textOrNull(): string | null {
    return this.isNull() ? null : this.text()
  }

  texts(countMax: number): readonly string[] {
    const values = this.array()
    if (values.length > countMax) this.refuse(`at most ${countMax} texts`, values.length)
    return values.map((value) => this.#textOf(value))
  }

  /** Reads a layer. Each layer has one form: one that has a number is never written by name. */
  layer(): Layer {
    const value = this.next()
    if (!(value instanceof Uint8Array)) {
      return NUMBERED_LAYERS[this.number(value, NUMBERED_LAYERS.length - 1)]!
    }
    const name = this.#textOf(value)
    if (!isLayerName(name) || NUMBERED_LAYERS.includes(name)) this.refuse('a layer', name)
    return name
  }

  uid(): IndexUid {
    const value = this.text()
    if (value.length > INDEX_UID_BYTES_MAX) this.refuse('a short uid', value.length)
    return asIndexUid(value)
  }

  array(): readonly unknown[] {
    const value = this.next()
    return Array.isArray(value) ? value : this.refuse('an array', typeof value)
  }

  #textOf(value: unknown): string {
    if (!(value instanceof Uint8Array)) return this.refuse('text', typeof value)
    try {
      return strictDecoder.decode(value)
    } catch (error) {
      // A fatal decoder throws a TypeError at the first broken byte.
      if (!(error instanceof TypeError)) throw error
      return this.refuse('UTF-8', 'other bytes')
    }
  }
}
