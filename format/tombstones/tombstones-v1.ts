// Dead document ids of a segment at a generation · layout: ./TOMBSTONES.md
//
//   version 1 · form 1 · coding 1 · 0 1 · generation 4 · ids
import { ByteReader, ByteWriter, varintBytes } from '../bytes/index.ts'
import { assert, refuse, VersionError } from '../errors.ts'
import { decodeIdSet, encodedIdsBytes, encodeIds, IdSet } from '../idset/index.ts'
import { SEGMENT_DOCUMENTS_MAX } from './limits.ts'

const SECTION = 'tombstones'
const VERSION = 1
const HEADER_BYTES = 8
const GAPS = 1
const RUNS = 2
const SET = 3
const ID_MAX = 0xffffffff
const FORMS = ['delta', 'full'] as const

export type Tombstones = {
  /** `delta`: the ids that died since the previous generation; `full`: all dead ids. */
  readonly form: (typeof FORMS)[number]
  /** Generation of the set after this was applied; from 1. */
  readonly generation: number
  readonly ids: IdSet
}

/** Encodes tombstones in the shortest of the three codings. O(ids). */
export function encodeTombstones(tombstones: Tombstones): Uint8Array {
  const ids = tombstones.ids.toArray()
  assert(ids.length > 0, 'tombstones mark at least one document')
  assert(ids.length <= SEGMENT_DOCUMENTS_MAX, 'no more documents are dead than a segment holds')
  assert(tombstones.generation > 0, 'generations count from one')
  assert(ids.at(-1)! - ids[0]! >= ids.length - 1, 'ids ascend and are distinct')
  const sizes = [gapsBytes(ids), runsBytes(ids), encodedIdsBytes(ids)]
  const least = Math.min(...sizes)
  const coding = sizes.indexOf(least) + 1
  const out = new ByteWriter(HEADER_BYTES + least + 8)
  out.u8(VERSION)
  out.u8(FORMS.indexOf(tombstones.form))
  out.u8(coding)
  out.u8(0)
  out.u32(tombstones.generation)
  if (coding === GAPS) writeGaps(out, ids)
  else if (coding === RUNS) writeRuns(out, ids)
  else out.bytes(encodeIds(ids))
  assert(out.length === HEADER_BYTES + least, 'tombstones are as long as computed')
  return out.finish()
}

/** @throws CorruptionError, VersionError */
export function decodeTombstones(bytes: Uint8Array): Tombstones {
  const reader = new ByteReader(bytes, SECTION)
  const version = reader.u8()
  if (version !== VERSION) throw new VersionError(SECTION, version, VERSION, VERSION)
  const form = FORMS[reader.u8()]
  if (form === undefined) return refuse(SECTION, 1, 'bad_value', 'a form', bytes[1]!)
  const coding = reader.u8()
  const reserved = reader.u8()
  if (reserved !== 0) refuse(SECTION, 3, 'bad_value', 0, reserved)
  const generation = reader.u32()
  if (generation === 0) refuse(SECTION, 4, 'bad_value', 'a generation', 0)
  const ids = readIds(reader, coding)
  reader.finish()
  if (ids.isEmpty) refuse(SECTION, HEADER_BYTES, 'bad_value', 'ids', 'none')
  return { form, generation, ids }
}

function readIds(reader: ByteReader, coding: number): IdSet {
  if (coding === GAPS) return IdSet.ofSorted(readGaps(reader))
  if (coding === RUNS) return readRuns(reader)
  if (coding !== SET) return refuse(SECTION, 2, 'bad_value', 'a coding', coding)
  const set = decodeIdSet(reader.take(reader.left))
  if (set.size > SEGMENT_DOCUMENTS_MAX) tooMany(HEADER_BYTES, set.size)
  return set
}

function gapsBytes(ids: Uint32Array): number {
  let bytes = varintBytes(ids.length) + varintBytes(ids[0]!)
  for (let i = 1; i < ids.length; i++) bytes += varintBytes(ids[i]! - ids[i - 1]! - 1)
  return bytes
}

function writeGaps(out: ByteWriter, ids: Uint32Array): void {
  out.varint(ids.length)
  out.varint(ids[0]!)
  for (let i = 1; i < ids.length; i++) out.varint(ids[i]! - ids[i - 1]! - 1)
}

function readGaps(reader: ByteReader): Uint32Array {
  const count = reader.varint()
  reader.need(count)
  if (count > SEGMENT_DOCUMENTS_MAX) tooMany(reader.at, count)
  const ids = new Uint32Array(count)
  let next = 0
  for (let i = 0; i < count; i++) {
    const at = reader.at
    const id = next + reader.varint()
    if (id > ID_MAX) refuse(SECTION, at, 'bad_value', 'a u32', id)
    ids[i] = id
    next = id + 1
  }
  return ids
}

/** Returns the index after the run of consecutive ids that begins at `from`. */
function runEnd(ids: Uint32Array, from: number): number {
  let to = from + 1
  while (to < ids.length && ids[to] === ids[to - 1]! + 1) to++
  return to
}

function runsBytes(ids: Uint32Array): number {
  let bytes = 0
  let runs = 0
  let next = 0
  for (let from = 0; from < ids.length; runs++) {
    const to = runEnd(ids, from)
    bytes += varintBytes(ids[from]! - next) + varintBytes(to - from - 1)
    next = ids[to - 1]! + 2
    from = to
  }
  return bytes + varintBytes(runs)
}

function writeRuns(out: ByteWriter, ids: Uint32Array): void {
  let runs = 0
  for (let from = 0; from < ids.length; from = runEnd(ids, from)) runs++
  out.varint(runs)
  let next = 0
  for (let from = 0; from < ids.length; ) {
    const to = runEnd(ids, from)
    out.varint(ids[from]! - next)
    out.varint(to - from - 1)
    next = ids[to - 1]! + 2
    from = to
  }
}

function readRuns(reader: ByteReader): IdSet {
  const runs = reader.varint()
  reader.need(runs * 2)
  const bounds = new Float64Array(runs * 2)
  let count = 0
  let next = 0
  for (let run = 0; run < runs; run++) {
    const at = reader.at
    const first = next + reader.varint()
    const length = reader.varint() + 1
    if (first + length - 1 > ID_MAX) refuse(SECTION, at, 'bad_value', 'a u32', first + length - 1)
    count += length
    if (count > SEGMENT_DOCUMENTS_MAX) tooMany(at, count)
    bounds[run * 2] = first
    bounds[run * 2 + 1] = first + length
    next = first + length + 1
  }
  const ids = new Uint32Array(count)
  let n = 0
  for (let run = 0; run < runs; run++) {
    const end = bounds[run * 2 + 1]!
    for (let id = bounds[run * 2]!; id < end; id++) ids[n++] = id
  }
  return IdSet.ofSorted(ids)
}

const tooMany = (at: number, got: number): never =>
  refuse(SECTION, at, 'bad_value', `at most ${SEGMENT_DOCUMENTS_MAX} ids`, got)
