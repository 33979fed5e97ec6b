// Encodes edits · layout: ./MANIFEST.md
//
//   [version, flags, sequence, [[tag, …members], …]]   MessagePack, arrays only, in a fixed order
import { Encoder } from '@msgpack/msgpack'
import { assert } from '../errors.ts'
import { FIELDS_MAX } from '../ids.ts'
import { encodeTombstones, SEGMENT_DOCUMENTS_MAX } from '../tombstones/index.ts'
import type { Change, ChangeOf, Edit } from './changes.ts'
import { isLayerName, type Layer, NUMBERED_LAYERS } from './layer-name.ts'
import { INDEX_UID_BYTES_MAX, SEGMENT_BYTES_MAX, U32_MAX } from './limits.ts'

export const MANIFEST_VERSION = 1
export const FLAG_CHECKPOINT = 1

/** Tags are stored on disk: read MANIFEST.md before changing them. */
export const TAGS: { readonly [K in Change['kind']]: number } = {
  'index-created': 1,
  'index-removed': 2,
  'index-renamed': 3,
  'primary-key-set': 4,
  'index-touched': 5,
  'settings-set': 6,
  'fields-added': 7,
  'field-counts': 8,
  'segment-added': 9,
  'segment-removed': 10,
  'tombstones-added': 11,
  'tasks-finished': 12,
  'value-set': 13,
  numbers: 14,
  'vector-counts': 15,
}

type Row = readonly unknown[]

/** In Unicode mode a surrogate matches only if it is not half of a pair. */
const LONE_SURROGATE = /\p{Surrogate}/u

// One encoder keeps its buffer between edits; `encode` returns a copy.
const encoder = new Encoder()

/** Encodes the payload of one record. The same edit always gives the same bytes. */
export function encodeEdit(edit: Edit): Uint8Array {
  const changes = edit.changes.map((change) => [TAGS[change.kind], ...members(change)])
  const flags = edit.checkpoint ? FLAG_CHECKPOINT : 0
  return encoder.encode([MANIFEST_VERSION, flags, count(edit.sequence), changes])
}

function members(change: Change): Row {
  switch (change.kind) {
    case 'index-created':
      return [
        u32(change.index),
        uid(change.uid),
        textOrNull(change.primaryKey),
        count(change.at),
        text(change.settings),
      ]
    case 'index-removed':
      return [u32(change.index)]
    case 'index-renamed':
      return [u32(change.index), uid(change.uid)]
    case 'primary-key-set':
      return [u32(change.index), textOrNull(change.primaryKey)]
    case 'index-touched':
      return [u32(change.index), count(change.at)]
    case 'settings-set':
      return [u32(change.index), text(change.settings)]
    case 'fields-added':
      assert(change.names.length <= FIELDS_MAX, 'an index has at most FIELDS_MAX fields')
      return [u32(change.index), change.names.map(text)]
    case 'field-counts':
      return [u32(change.index), fieldCounts(change.counts)]
    case 'vector-counts':
      return [u32(change.index), difference(change.vectors), difference(change.documents)]
    case 'segment-added':
      return segmentAdded(change)
    case 'segment-removed':
      return [u32(change.index), count(change.segment)]
    case 'tombstones-added':
      return [u32(change.index), count(change.segment), encodeTombstones(change)]
    case 'tasks-finished':
      return [u32(change.batch), change.record]
    case 'value-set':
      return [text(change.space), text(change.key), change.value]
    case 'numbers':
      return [count(change.nextIndex), count(change.nextSegment)]
    default:
      return change satisfies never
  }
}

function segmentAdded(change: ChangeOf<'segment-added'>): Row {
  const { location } = change
  assert(change.idMin <= change.idMax, 'the smallest id is not above the largest')
  assert(change.bytes <= SEGMENT_BYTES_MAX, 'a segment can be mapped')
  assert(change.documents <= SEGMENT_DOCUMENTS_MAX, 'a segment has a bounded number of documents')
  const inline = location.kind === 'inline'
  assert(!inline || location.frame.length === change.bytes, 'an inline frame has `bytes` bytes')
  return [
    u32(change.index),
    count(change.segment),
    layerCode(change.layer),
    u32(change.documents),
    u32(change.idMin),
    u32(change.idMax),
    u32(change.bytes),
    inline ? location.frame : u32(location.checksum),
  ]
}

function layerCode(layer: Layer): number | string {
  const number = NUMBERED_LAYERS.indexOf(layer)
  assert(number >= 0 || isLayerName(layer), 'a layer has a name of small letters')
  return number >= 0 ? number : layer
}

function fieldCounts(counts: readonly (readonly [number, number])[]): readonly number[] {
  const flat: number[] = []
  let last = -1
  for (const [field, by] of counts) {
    assert(field > last && field < FIELDS_MAX, 'field ids ascend and are in range')
    flat.push(field, difference(by))
    last = field
  }
  return flat
}

function difference(value: number): number {
  assert(Number.isSafeInteger(value), 'a difference is an integer')
  return value
}

function u32(value: number): number {
  assert(Number.isInteger(value) && value >= 0 && value <= U32_MAX, 'a u32 is in range')
  return value
}

function count(value: number): number {
  assert(Number.isSafeInteger(value) && value >= 0, 'a number is a safe integer, not negative')
  return value
}

function text(value: string): string {
  assert(!LONE_SURROGATE.test(value), 'text has no lone surrogates')
  return value
}

const textOrNull = (value: string | null): string | null => (value === null ? null : text(value))

function uid(value: string): string {
  assert(value.length <= INDEX_UID_BYTES_MAX, 'a uid is short')
  return text(value)
}
