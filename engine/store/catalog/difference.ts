// Computes the changes that turn one state into another. A follower uses them to adopt the leader's
// state in one edit.
import { compareBytes } from '../../../format/bytes/index.ts'
import {
  asIndexNo,
  asSegmentNo,
  type FieldId,
  type IndexNo,
  type SegmentNo,
} from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import type { IndexState, SegmentState, State } from './state.ts'

/** The amounts added to the index and segment numbers of a state. */
export type NumberShift = { readonly index: number; readonly segment: number }

/** Returns the same state with larger numbers. */
export function shifted(state: State, by: NumberShift): State {
  if (by.index === 0 && by.segment === 0) return state
  const indexes = new Map<IndexNo, IndexState>()
  for (const [number, index] of state.indexes) {
    const segments = new Map<SegmentNo, SegmentState>()
    for (const [key, segment] of index.segments) {
      const number = asSegmentNo(key + by.segment)
      segments.set(number, { ...segment, segment: number })
    }
    const own = asIndexNo(number + by.index)
    indexes.set(own, { ...index, index: own, segments })
  }
  return {
    ...state,
    indexes,
    byUid: new Map([...state.byUid].map(([uid, number]) => [uid, asIndexNo(number + by.index)])),
    nextIndex: asIndexNo(state.nextIndex + by.index),
    nextSegment: asSegmentNo(state.nextSegment + by.segment),
  }
}

/**
 * Returns the changes that turn `from` into `to`, in an order that the reducer accepts. Values of
 * the spaces in `own` do not change. Returns null if no changes can, because an index or a segment
 * with the same number is a different one in `to`.
 */
export function differences(
  from: State,
  to: State,
  own: ReadonlySet<string>,
): readonly Change[] | null {
  const changes: Change[] = []
  for (const index of from.indexes.keys()) {
    if (!to.indexes.has(index)) changes.push({ kind: 'index-removed', index })
  }
  for (const [number, after] of byNumber(to.indexes)) {
    const before = from.indexes.get(number)
    if (before === undefined && number < from.nextIndex) return null
    if (before === after) continue
    if (!pushIndex(changes, before ?? null, after)) return null
  }
  pushValues(changes, from, to, own)
  for (const [batch, record] of to.outcomes) {
    if (!from.outcomes.has(batch)) changes.push({ kind: 'tasks-finished', batch, record })
  }
  const nextIndex = asIndexNo(Math.max(from.nextIndex, to.nextIndex))
  const nextSegment = asSegmentNo(Math.max(from.nextSegment, to.nextSegment))
  if (changes.length > 0) changes.push({ kind: 'numbers', nextIndex, nextSegment })
  return changes
}

/** Adds the changes of one index; returns false if `after` is a different index than `before`. */
function pushIndex(changes: Change[], before: IndexState | null, after: IndexState): boolean {
  const { index, uid, primaryKey, createdAt, updatedAt, settings, fields } = after
  if (before === null) {
    changes.push({ kind: 'index-created', index, uid, primaryKey, at: createdAt, settings })
  } else {
    if (before.createdAt !== createdAt) return false
    if (before.uid !== uid) changes.push({ kind: 'index-renamed', index, uid })
    if (before.primaryKey !== primaryKey) {
      changes.push({ kind: 'primary-key-set', index, primaryKey })
    }
    if (before.settings !== settings) changes.push({ kind: 'settings-set', index, settings })
  }
  const known = before?.fields ?? []
  if (known.length > fields.length || known.some((name, i) => name !== fields[i])) return false
  if (fields.length > known.length) {
    changes.push({ kind: 'fields-added', index, names: fields.slice(known.length) })
  }
  pushCounts(changes, before, after)
  if (!pushSegments(changes, before, after)) return false
  if (updatedAt !== (before?.updatedAt ?? createdAt)) {
    changes.push({ kind: 'index-touched', index, at: updatedAt })
  }
  return true
}

function pushCounts(changes: Change[], before: IndexState | null, after: IndexState): void {
  const { index } = after
  const counts: [FieldId, number][] = []
  after.fieldCounts.forEach((count, field) => {
    const difference = count - (before?.fieldCounts[field] ?? 0)
    if (difference !== 0) counts.push([field, difference])
  })
  if (counts.length > 0) changes.push({ kind: 'field-counts', index, counts })
  const vectors = after.vectorCounts.vectors - (before?.vectorCounts.vectors ?? 0)
  const documents = after.vectorCounts.documents - (before?.vectorCounts.documents ?? 0)
  if (vectors !== 0 || documents !== 0) {
    changes.push({ kind: 'vector-counts', index, vectors, documents })
  }
}

function pushSegments(changes: Change[], before: IndexState | null, after: IndexState): boolean {
  const { index } = after
  for (const segment of before?.segments.keys() ?? []) {
    if (!after.segments.has(segment)) changes.push({ kind: 'segment-removed', index, segment })
  }
  for (const [segment, state] of byNumber(after.segments)) {
    const old = before?.segments.get(segment)
    if (old === state) continue
    const { generation, dead, ...entry } = state
    if (old === undefined) changes.push({ kind: 'segment-added', index, ...entry })
    else if (!isSameSegment(old, state)) return false
    if (generation === (old?.generation ?? 0)) continue
    changes.push({ kind: 'tombstones-added', index, segment, form: 'full', generation, ids: dead })
  }
  return true
}

/** Returns true if both are the same segment and `after` is the same view of it or a newer one. */
function isSameSegment(before: SegmentState, after: SegmentState): boolean {
  const isSame =
    before.layer === after.layer &&
    before.documents === after.documents &&
    before.idMin === after.idMin &&
    before.idMax === after.idMax &&
    before.bytes === after.bytes &&
    isSameContent(before.location, after.location)
  if (!isSame || after.generation < before.generation) return false
  const common = after.dead.andSize(before.dead)
  const isNewer = after.generation > before.generation
  return common === before.dead.size && (isNewer || common === after.dead.size)
}

function isSameContent(one: SegmentState['location'], other: SegmentState['location']): boolean {
  if (one.kind === 'file') return other.kind === 'file' && one.checksum === other.checksum
  return other.kind === 'inline' && compareBytes(one.frame, other.frame) === 0
}

function pushValues(changes: Change[], from: State, to: State, own: ReadonlySet<string>): void {
  for (const space of new Set([...from.values.keys(), ...to.values.keys()])) {
    if (own.has(space)) continue
    const before = from.values.get(space)
    const after = to.values.get(space)
    for (const key of before?.keys() ?? []) {
      if (after?.has(key) !== true) changes.push({ kind: 'value-set', space, key, value: null })
    }
    for (const [key, value] of after ?? []) {
      const old = before?.get(key)
      if (old !== undefined && compareBytes(old, value) === 0) continue
      changes.push({ kind: 'value-set', space, key, value })
    }
  }
}

const byNumber = <N extends number, T>(map: ReadonlyMap<N, T>): readonly (readonly [N, T])[] =>
  [...map].sort(([a], [b]) => a - b)
