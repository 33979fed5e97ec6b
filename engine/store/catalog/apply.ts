// The reducer: applies an edit to a state, or refuses an edit that contradicts the state.
//
// Invariants
// - Sequence numbers are consecutive; a checkpoint starts from nothing and sets its own.
// - An index number is never used twice. Uids are unique after each edit (during a swap two indexes
//   may have the same uid).
// - A segment number is unique among living segments; a segment belongs to one index.
// - Fields are only added, up to 65,535, each name once; counts are never negative.
// - Generations are consecutive; an id dies once; only ids within the segment's range die.
//
// Edits are read from disk or created by this process. The same contradiction means a damaged
// manifest in the first case and a mistake in our code in the second, so the caller passes the
// function that reports it.
import {
  asIndexNo,
  asSegmentNo,
  FIELDS_MAX,
  type IndexNo,
  type IndexUid,
  type SegmentNo,
} from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { Change, ChangeOf, Edit } from '../../../format/manifest/index.ts'
import { hasLayer } from '../layers/index.ts'
import { FIELD_COUNT_MAX } from './limits.ts'
import { EMPTY_STATE, type IndexState, type SegmentState, type State, segmentOf } from './state.ts'

/**
 * Throws an error for a claim that does not hold. `position` is the position of the change in its
 * edit.
 */
export type Refuse = (claim: string, sequence: number, position: number) => never

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Returns the state after `edit`; `state` does not change. */
export function apply(state: State, edit: Edit, refuse: Refuse): State {
  const draft = new Draft(state, refuse)
  draft.apply(edit)
  return draft.state
}

/**
 * A state to which edits are applied one after another. Each part that is shared with the starting
 * state is copied the first time it changes: replaying 3,000 edits over 1,000 indexes copies the
 * map once.
 */
export class Draft {
  readonly #refuse: Refuse
  #state: Mutable<State>
  /** Objects created by this draft, which it may modify. */
  #owned = new WeakSet<object>()
  #sequence = 0
  #position = 0
  #uidsChanged = false
  /**
   * Numbers of all living segments. Built only from a checkpoint on; before, a search through all
   * indexes is cheap enough.
   */
  #segmentNumbers: Set<number> | null = null

  constructor(state: State, refuse: Refuse) {
    this.#state = { ...state }
    this.#refuse = refuse
  }

  /** The state after all edits so far. No edit may be applied to the draft after this was read. */
  get state(): State {
    return this.#state
  }

  /** Applies one edit. If the edit is refused, the draft must be discarded. */
  apply(edit: Edit): void {
    this.#sequence = edit.sequence
    this.#position = 0
    const follows = edit.sequence === this.#state.sequence + 1
    this.#check(edit.checkpoint || follows, `the edit after ${this.#state.sequence} comes next`)
    if (edit.checkpoint) {
      this.#state = { ...EMPTY_STATE }
      this.#segmentNumbers = new Set()
    }
    this.#state.sequence = edit.sequence
    this.#uidsChanged = edit.checkpoint
    for (const change of edit.changes) {
      this.#change(change)
      this.#position++
    }
    if (this.#uidsChanged) this.#indexUids()
  }

  #change(change: Change): void {
    switch (change.kind) {
      case 'index-created':
        this.#indexCreated(change)
        break
      case 'index-removed':
        this.#indexRemoved(change)
        break
      case 'index-renamed':
        this.#index(change.index).uid = change.uid
        this.#uidsChanged = true
        break
      case 'primary-key-set':
        this.#index(change.index).primaryKey = change.primaryKey
        break
      case 'index-touched':
        this.#index(change.index).updatedAt = change.at
        break
      case 'settings-set':
        this.#index(change.index).settings = change.settings
        break
      case 'fields-added':
        this.#fieldsAdded(change)
        break
      case 'field-counts':
        this.#fieldCounts(change)
        break
      case 'vector-counts':
        this.#vectorCounts(change)
        break
      case 'segment-added':
        this.#segmentAdded(change)
        break
      case 'segment-removed':
        this.#segmentRemoved(change)
        break
      case 'tombstones-added':
        this.#tombstonesAdded(change)
        break
      case 'tasks-finished':
        this.#tasksFinished(change)
        break
      case 'value-set':
        this.#valueSet(change)
        break
      case 'numbers':
        this.#numbers(change)
        break
      default:
        change satisfies never
    }
  }

  #indexCreated(change: ChangeOf<'index-created'>): void {
    const { index, uid, primaryKey, at, settings } = change
    this.#check(index >= this.#state.nextIndex, `index number ${index} is new`)
    const made: IndexState = {
      index,
      uid,
      primaryKey,
      createdAt: at,
      updatedAt: at,
      settings,
      fields: [],
      fieldIds: new Map(),
      fieldCounts: new Float64Array(0),
      vectorCounts: { vectors: 0, documents: 0 },
      segments: new Map(),
    }
    this.#indexes().set(index, made)
    this.#state.nextIndex = asIndexNo(index + 1)
    this.#uidsChanged = true
  }

  #indexRemoved({ index }: ChangeOf<'index-removed'>): void {
    for (const segment of this.#segments(index).keys()) this.#segmentNumbers?.delete(segment)
    this.#indexes().delete(index)
    this.#uidsChanged = true
  }

  #fieldsAdded({ index, names }: ChangeOf<'fields-added'>): void {
    const state = this.#index(index)
    const count = state.fields.length + names.length
    this.#check(count <= FIELDS_MAX, `index ${index} has at most ${FIELDS_MAX} fields`)
    const ids = this.#own(state.fieldIds, (map) => new Map(map))
    const fields = this.#own(state.fields, (list) => [...list])
    for (const name of names) {
      this.#check(!ids.has(name), `field ${JSON.stringify(name)} is new`)
      ids.set(name, fields.length)
      fields.push(name)
    }
    const counts = new Float64Array(count)
    counts.set(state.fieldCounts)
    this.#owned.add(counts)
    state.fieldIds = ids
    state.fields = fields
    state.fieldCounts = counts
  }

  #fieldCounts({ index, counts }: ChangeOf<'field-counts'>): void {
    const state = this.#index(index)
    const next = this.#own(state.fieldCounts, (list) => list.slice())
    for (const [field, difference] of counts) {
      this.#check(field < next.length, `field ${field} exists`)
      const count = next[field]! + difference
      const inRange = count >= 0 && count <= FIELD_COUNT_MAX
      this.#check(inRange, `field ${field} is in a possible number of documents`)
      next[field] = count
    }
    state.fieldCounts = next
  }

  #vectorCounts({ index, ...by }: ChangeOf<'vector-counts'>): void {
    const state = this.#index(index)
    const vectors = state.vectorCounts.vectors + by.vectors
    const documents = state.vectorCounts.documents + by.documents
    const inRange = documents >= 0 && vectors >= documents && Number.isSafeInteger(vectors)
    this.#check(inRange, `index ${index} has a possible number of vectors`)
    state.vectorCounts = { vectors, documents }
  }

  #segmentAdded(change: ChangeOf<'segment-added'>): void {
    const { index, segment, layer } = change
    this.#check(hasLayer(layer), `there is a layer \`${layer}\``)
    this.#check(!this.#hasSegment(segment), `segment number ${segment} is free`)
    this.#segmentNumbers?.add(segment)
    const segments = this.#segments(index)
    segments.set(segment, segmentOf(change))
    if (segment >= this.#state.nextSegment) this.#state.nextSegment = asSegmentNo(segment + 1)
  }

  #segmentRemoved({ index, segment }: ChangeOf<'segment-removed'>): void {
    const removed = this.#segments(index).delete(segment)
    this.#check(removed, `index ${index} has segment ${segment}`)
    this.#segmentNumbers?.delete(segment)
  }

  #hasSegment(segment: SegmentNo): boolean {
    if (this.#segmentNumbers !== null) return this.#segmentNumbers.has(segment)
    for (const index of this.#state.indexes.values()) if (index.segments.has(segment)) return true
    return false
  }

  #tombstonesAdded(change: ChangeOf<'tombstones-added'>): void {
    const { index, segment, generation, form, ids } = change
    const segments = this.#segments(index)
    const state = segments.get(segment)
    if (state === undefined) this.#fail(`index ${index} has segment ${segment}`)
    const delta = form === 'delta'
    const dead = delta ? state.dead.or(ids) : ids
    if (delta) {
      this.#check(generation === state.generation + 1, `generation ${generation} is the next`)
      this.#check(!state.dead.intersects(ids), 'an id dies once')
    } else {
      this.#check(generation > state.generation, `generation ${generation} is newer`)
      this.#check(state.dead.andSize(ids) === state.dead.size, 'the dead stay dead')
    }
    this.#checkDead(state, dead)
    segments.set(segment, { ...state, generation, dead })
  }

  #checkDead(state: SegmentState, dead: IdSet): void {
    const inside = dead.min >= state.idMin && dead.max <= state.idMax
    this.#check(inside, `ids that die lie within ${state.idMin} to ${state.idMax}`)
    this.#check(dead.size <= state.documents, `at most ${state.documents} documents die`)
  }

  #tasksFinished({ batch, record }: ChangeOf<'tasks-finished'>): void {
    const outcomes = this.#own(this.#state.outcomes, (map) => new Map(map))
    this.#check(!outcomes.has(batch), `batch ${batch} finishes once`)
    outcomes.set(batch, record)
    this.#state.outcomes = outcomes
  }

  #valueSet({ space, key, value }: ChangeOf<'value-set'>): void {
    const values = this.#own(this.#state.values, (map) => new Map(map))
    const old = values.get(space) ?? new Map<string, Uint8Array>()
    const keys = this.#own(old, (map) => new Map(map))
    if (value === null) keys.delete(key)
    else keys.set(key, value)
    if (keys.size === 0) values.delete(space)
    else values.set(space, keys)
    this.#state.values = values
  }

  #numbers({ nextIndex, nextSegment }: ChangeOf<'numbers'>): void {
    const grow = nextIndex >= this.#state.nextIndex && nextSegment >= this.#state.nextSegment
    this.#check(grow, 'numbers only grow')
    this.#state.nextIndex = nextIndex
    this.#state.nextSegment = nextSegment
  }

  #indexUids(): void {
    const byUid = new Map<IndexUid, IndexNo>()
    for (const { uid, index } of this.#state.indexes.values()) {
      this.#check(!byUid.has(uid), `uid ${JSON.stringify(uid)} names one index`)
      byUid.set(uid, index)
    }
    this.#state.byUid = byUid
  }

  /** Returns the index for modification. Fails if it does not exist. */
  #index(index: IndexNo): Mutable<IndexState> {
    const state = this.#state.indexes.get(index)
    if (state === undefined) return this.#fail(`index ${index} exists`)
    const owned = this.#own(state, (old) => ({ ...old }))
    if (owned !== state) this.#indexes().set(index, owned)
    return owned
  }

  #indexes(): Map<IndexNo, IndexState> {
    const indexes = this.#own(this.#state.indexes, (map) => new Map(map))
    this.#state.indexes = indexes
    return indexes
  }

  #segments(index: IndexNo): Map<SegmentNo, SegmentState> {
    const state = this.#index(index)
    const segments = this.#own(state.segments, (map) => new Map(map))
    state.segments = segments
    return segments
  }

  /** Returns `value` if this draft created it, else a copy that the draft may modify. */
  #own<T extends object, M extends T>(value: T, copy: (value: T) => M): M {
    if (this.#owned.has(value)) return value as M
    const made = copy(value)
    this.#owned.add(made)
    return made
  }

  #check(condition: boolean, claim: string): asserts condition {
    if (!condition) this.#fail(claim)
  }

  #fail(claim: string): never {
    return this.#refuse(claim, this.#sequence, this.#position)
  }
}
