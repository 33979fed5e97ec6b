// Converts a state to changes that rebuild it from nothing: the first record of a manifest file.

import { compareText } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { FieldId, IndexNo } from '../../../format/ids.ts'
import type { Change, Edit } from '../../../format/manifest/index.ts'
import type { IndexState, SegmentState, State } from './state.ts'

/** Returns the edit that rebuilds `state`. The same state gives the same edit. */
export const checkpointEdit = (state: State): Edit => ({
  sequence: state.sequence,
  checkpoint: true,
  changes: checkpoint(state),
})

/**
 * Returns the changes in an order that the reducer accepts: indexes and segments by number, values
 * by key, outcomes in order of commits.
 */
function checkpoint(state: State): readonly Change[] {
  const changes: Change[] = []
  for (const index of byNumber(state.indexes)) pushIndex(changes, index)
  for (const space of [...state.values.keys()].sort(compareText)) {
    const keys = state.values.get(space)!
    for (const key of [...keys.keys()].sort(compareText)) {
      changes.push({ kind: 'value-set', space, key, value: keys.get(key)! })
    }
  }
  for (const [batch, record] of state.outcomes) {
    changes.push({ kind: 'tasks-finished', batch, record })
  }
  const { nextIndex, nextSegment } = state
  for (const [index, { segments }] of state.indexes) {
    assert(index < nextIndex, 'the next index has a number of its own')
    for (const segment of segments.keys()) {
      assert(segment < nextSegment, 'the next segment has a number of its own')
    }
  }
  changes.push({ kind: 'numbers', nextIndex, nextSegment })
  return changes
}

function pushIndex(changes: Change[], state: IndexState): void {
  const { index, uid, primaryKey, createdAt, updatedAt, settings, fields } = state
  changes.push({ kind: 'index-created', index, uid, primaryKey, at: createdAt, settings })
  if (updatedAt !== createdAt) changes.push({ kind: 'index-touched', index, at: updatedAt })
  if (fields.length > 0) changes.push({ kind: 'fields-added', index, names: fields })
  const counts: [FieldId, number][] = []
  assert(state.fieldCounts.length <= fields.length, 'counted fields have names')
  state.fieldCounts.forEach((count, field) => {
    if (count !== 0) counts.push([field, count])
  })
  if (counts.length > 0) changes.push({ kind: 'field-counts', index, counts })
  const { vectors, documents } = state.vectorCounts
  if (vectors > 0) changes.push({ kind: 'vector-counts', index, vectors, documents })
  for (const segment of byNumber(state.segments)) pushSegment(changes, index, segment)
}

function pushSegment(changes: Change[], index: IndexNo, state: SegmentState): void {
  const { generation, dead, ...added } = state
  changes.push({ kind: 'segment-added', index, ...added })
  assert((generation === 0) === dead.isEmpty, 'documents die in a generation')
  if (generation === 0) return
  const { segment } = state
  changes.push({ kind: 'tombstones-added', index, segment, form: 'full', generation, ids: dead })
}

const byNumber = <T>(map: ReadonlyMap<number, T>): readonly T[] =>
  [...map].sort(([a], [b]) => a - b).map(([, value]) => value)
