// The merge policy applied to an index without bytes: batches with their own merges, and background
// merges, with the location of every document. Each document is alive in one segment, there are few
// segments, a byte is copied a bounded number of times, and the same input gives the same result.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { asIndexNo, asIndexUid, asSegmentNo, type SegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { IndexState, SegmentState } from '../../store/catalog/index.ts'
import { type Random, randomOf } from '../../store/storage/index.ts'
import { BUSY, similarRun, TAKE_OVER } from '../tiers/index.ts'
import { type MergeMode, nextMerge, offerOf, SEGMENTS_MAX } from './merge-policy.ts'

const DOCUMENT_BYTES = 600
/** `WEIGHT_MIN` of the policy. */
const WEIGHT_MIN = 4096

type Mutable = { readonly ids: Set<number>; readonly documents: number; readonly dead: Set<number> }
type Running = { readonly segments: readonly SegmentNo[]; readonly died: Set<number> }

class Model {
  readonly segments = new Map<SegmentNo, Mutable>()
  /** The segment in which each document is alive. */
  readonly places = new Map<number, SegmentNo>()
  written = 0
  copied = 0
  most = 0
  #next = asSegmentNo(1)
  #running: Running | null = null

  #state(): IndexState {
    const segments = [...this.segments].map(([number, { documents, dead }]): SegmentState => {
      return {
        segment: number,
        layer: 'text',
        documents,
        idMin: 0,
        idMax: 0xffff,
        bytes: documents * DOCUMENT_BYTES,
        location: { kind: 'file', checksum: 1 },
        generation: 0,
        dead: IdSet.of([...dead]),
      }
    })
    const counts = { fieldCounts: new Float64Array(0), vectorCounts: { vectors: 0, documents: 0 } }
    const uid = asIndexUid('a')
    const names = { uid, primaryKey: null, settings: '{}', fields: [], fieldIds: new Map() }
    const times = { createdAt: 1, updatedAt: 1 }
    const all = new Map(segments.map((one) => [one.segment, one]))
    return { index: asIndexNo(1), ...names, ...times, ...counts, segments: all }
  }

  #take(): SegmentNo {
    const number = this.#next
    this.#next = asSegmentNo(number + 1)
    return number
  }

  #merging(): ReadonlySet<SegmentNo> {
    return new Set(this.#running?.segments)
  }

  /** Applies a batch that changes these documents and takes over the offered segments. */
  batch(ids: ReadonlySet<number>): void {
    const offer = offerOf(this.#state(), this.#merging())
    const own = this.#take()
    for (const id of ids) this.#bury(id)
    this.written += ids.size
    const weigh = (segment: SegmentNo, documents: number, deadCount: number) => {
      return { segment, documents, deadCount, bytes: documents * DOCUMENT_BYTES }
    }
    const candidates = [weigh(own, ids.size, 0)]
    for (const segment of offer.segments) {
      const known = this.segments.get(segment)
      if (known === undefined) continue
      candidates.push(weigh(segment, known.documents, known.dead.size))
    }
    const limits = { ...TAKE_OVER, bytesMax: offer.bytesMax }
    const isSmall = ids.size * DOCUMENT_BYTES <= offer.bytesMax
    const run = isSmall ? similarRun(candidates, limits).map(({ segment }) => segment) : []
    this.segments.set(own, { ids: new Set(ids), documents: ids.size, dead: new Set() })
    for (const id of ids) this.places.set(id, own)
    if (run.length > 0) this.#join(run)
    this.most = Math.max(this.most, this.segments.size)
  }

  /** Begins a merge if one is due and none runs. */
  begin(mode: MergeMode): boolean {
    if (this.#running !== null) return false
    const merge = nextMerge(this.#state(), mode)
    if (merge === null) return false
    this.#running = { segments: merge.segments, died: new Set() }
    return true
  }

  /** Ends the running merge. Documents that died since it began are dead in its result. */
  finish(): void {
    const running = this.#running
    if (running === null) return
    this.#running = null
    if (running.segments.some((segment) => !this.segments.has(segment))) return
    this.#join(running.segments)
  }

  #join(segments: readonly SegmentNo[]): void {
    const number = this.#take()
    const ids = new Set<number>()
    for (const segment of segments) {
      const { ids: all, dead } = this.segments.get(segment)!
      for (const id of all) if (!dead.has(id)) ids.add(id)
      this.segments.delete(segment)
    }
    this.copied += ids.size
    for (const id of ids) this.places.set(id, number)
    if (ids.size > 0) {
      this.segments.set(number, { ids, documents: ids.size, dead: new Set() })
    }
  }

  #bury(id: number): void {
    const at = this.places.get(id)
    if (at === undefined) return
    const segment = this.segments.get(at)!
    segment.dead.add(id)
    if (segment.dead.size === segment.documents) this.segments.delete(at)
  }

  check(): void {
    const alive = [...this.segments].flatMap(([number, { ids, dead }]) =>
      [...ids].filter((id) => !dead.has(id)).map((id) => [id, number] as const),
    )
    expect(alive.length).toBe(this.places.size)
    expect(new Map(alive)).toEqual(this.places)
  }
}

type Day = { readonly documents: number; readonly batch: number; readonly batches: number }

function pick(random: Random, { documents, batch }: Day): ReadonlySet<number> {
  const ids = new Set<number>()
  while (ids.size < batch) ids.add(random.below(documents))
  return ids
}

/** A full index, then batches; a merge continues as long as `isSlow` returns true. */
function play(day: Day, seed: number, isSlow: (random: Random) => boolean): Model {
  const random = randomOf(seed)
  const model = new Model()
  model.batch(new Set(Array.from({ length: day.documents }, (_, id) => id)))
  model.written = 0
  for (let i = 0; i < day.batches; i++) {
    model.batch(pick(random, day))
    while (!isSlow(random)) {
      model.finish()
      if (!model.begin('busy')) break
    }
  }
  return model
}

const days = fc.record({
  documents: fc.integer({ min: 500, max: 4000 }),
  batch: fc.integer({ min: 1, max: 40 }),
  batches: fc.integer({ min: 20, max: 120 }),
})

/** The bound that the geometric weights imply. */
const segmentsMax = ({ documents }: Day): number =>
  BUSY.countMin + Math.log((documents * DOCUMENT_BYTES) / WEIGHT_MIN) / Math.log(1 + BUSY.growth)

describe('batches and merges', () => {
  it('keep every document alive once, with any timing of merges', () => {
    fc.assert(
      fc.property(days, fc.nat(), (day, seed) => {
        play(day, seed, (random) => random.below(3) > 0).check()
      }),
      { numRuns: 40 },
    )
  })

  it('leave few segments, and copy a byte a logarithmic number of times', () => {
    fc.assert(
      fc.property(days, fc.nat(), (day, seed) => {
        const model = play(day, seed, () => false)
        expect(model.segments.size).toBeLessThanOrEqual(segmentsMax(day))
        // The segment of the batch and that of the last merge come in addition.
        expect(model.most).toBeLessThanOrEqual(segmentsMax(day) + 2)
        // A byte is copied when its segment grows by at least a third, below WEIGHT_MIN more often.
        const growths = Math.log(day.documents / day.batch) / Math.log(1 + 1 / BUSY.growth)
        const small = WEIGHT_MIN / DOCUMENT_BYTES / day.batch
        expect(model.copied / model.written).toBeLessThanOrEqual(4 + growths + small)
      }),
      { numRuns: 40 },
    )
  })

  it('leave few segments even if no merge ends', () => {
    fc.assert(
      fc.property(days, fc.nat(), (day, seed) => {
        const model = play(day, seed, () => true)
        model.check()
        const large = (day.batches * day.batch * DOCUMENT_BYTES) / MiB
        expect(model.most).toBeLessThanOrEqual(SEGMENTS_MAX + segmentsMax(day) + 2 * large)
      }),
      { numRuns: 40 },
    )
  })

  it('are deterministic', () => {
    const day = { documents: 2000, batch: 7, batches: 100 }
    const [one, two] = [1, 2].map(() => play(day, 5, (random) => random.below(4) > 0))
    expect([...one!.places]).toEqual([...two!.places])
    expect(one!.copied).toBe(two!.copied)
  })
})
