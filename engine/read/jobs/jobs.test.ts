// Small parts of jobs: faults that name their search, notes about missing vectors, cells that
// threads share, durations.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { durationText, SearchControl, StepTimes } from './control.ts'
import { indexNotFound, ofQuery, othersWait, placing, UNPLACED_IN_FEDERATION } from './faults.ts'
import { lackedVectorNotes } from './lacked-vectors.ts'
import { JOBS_PER_THREAD, LACKED_VECTORS_MAX } from './limits.ts'
import { isCanceled, isPreempted, preemptionCell } from './protocol.ts'
import { pseudonymOf } from './pseudonyms.ts'
import { VectorNeeded } from './vector-needed.ts'

function thrown(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('a fault', () => {
  const failing = (fault: Error, unplaced?: readonly string[]) =>
    thrown(() =>
      placing(
        ofQuery(3),
        '!',
        () => {
          throw fault
        },
        unplaced,
      ),
    )

  it('names the search that it is of, and keeps its code and detail', () => {
    const fault = new EngineFault('invalid_search_filter', 'Bad.', { kind: 'timeUp' })
    expect(failing(fault)).toMatchObject({
      code: 'invalid_search_filter',
      message: 'Inside `.queries[3]`: Bad.!',
      detail: { kind: 'timeUp' },
    })
    expect(placing('a', 'b', () => 7)).toBe(7)
  })

  it.each([
    [othersWait(12), undefined],
    [new EngineFault('internal', 'x'), undefined],
    [new Error('x'), undefined],
    [new EngineFault('invalid_document_filter', 'x'), UNPLACED_IN_FEDERATION],
    [othersWait(12), UNPLACED_IN_FEDERATION],
  ])('of the whole request names none: %s', (fault, unplaced) => {
    expect(failing(fault, unplaced)).toBe(fault)
  })

  it('says why', () => {
    expect(othersWait(12)).toMatchObject({
      code: 'too_many_search_requests',
      message: expect.stringContaining('stopped after 12 ms'),
    })
    expect(indexNotFound(asIndexUid('a'))).toMatchObject({
      code: 'index_not_found',
      message: 'Index `a` not found.',
    })
  })
})

it('notes a search without its vector once for each index and embedder', () => {
  const notes: string[] = []
  const note = lackedVectorNotes((message) => void notes.push(message))
  const of = (uid: string, embedder: string) => ({ uid: asIndexUid(uid), embedder })
  note([of('a', 'e'), of('a', 'f'), of('a', 'e')])
  note([of('b', 'e'), of('a', 'f')])
  expect(notes.map((message) => /`(\w)` has no .*`(\w)` has/.exec(message)?.slice(1))).toEqual([
    ['a', 'e'],
    ['a', 'f'],
    ['b', 'e'],
  ])
  // Of very many, some are noted again, so that the memory is bounded.
  note(Array.from({ length: LACKED_VECTORS_MAX - 3 }, (_, i) => of(`x${i}`, 'e')))
  note([of('a', 'e')])
  expect(notes.length).toBe(LACKED_VECTORS_MAX)
  note([of('y', 'e'), of('a', 'e')])
  expect(notes.length).toBe(LACKED_VECTORS_MAX + 2)
})

it('gives an id the same pseudonym each time, and others to others', () => {
  const of = (id: string) => pseudonymOf(Buffer.from(id))
  expect(of('a')).toBe(of('a'))
  expect(of('a')).not.toBe(of('b'))
  expect(of('a')).toMatch(/^[\w-]{43}$/)
})

it('reads from shared cells which jobs of which thread have to end', () => {
  const threads = 3
  const cells = new Int32Array(threads * (JOBS_PER_THREAD + 1))
  const all = Array.from({ length: threads }, (_, thread) => preemptionCell(cells, thread))
  expect(all).toEqual([6, 7, 8])
  for (let at = 0; at < cells.length; at++) {
    cells.fill(0)
    cells[at] = 5
    for (let thread = 0; thread < threads; thread++) {
      const [first, end] = [thread * JOBS_PER_THREAD, (thread + 1) * JOBS_PER_THREAD]
      expect(isCanceled(cells, thread, 5)).toBe(at >= first && at < end)
      expect(isPreempted(cells, thread, 5)).toBe(at === all[thread])
      expect(isCanceled(cells, thread, 4) || isPreempted(cells, thread, 4)).toBe(false)
    }
  }
})

describe('durations', () => {
  it.each([
    [0, '0.00µs'],
    [0.29529, '295.29µs'],
    [0.9999, '999.90µs'],
    [1, '1.00ms'],
    [999.99, '999.99ms'],
    [1000, '1.00s'],
    [61_234, '61.23s'],
  ])('%f ms are shown as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })

  it('of all steps are whole milliseconds since the first', () => {
    const before = performance.now()
    const times = new StepTimes()
    expect(times.elapsedMs()).toBeLessThanOrEqual(performance.now() - before)
    expect(times.elapsedMs()).toBeGreaterThanOrEqual(0)
  })

  it('of a step are added up, in the order of the first', () => {
    const times = new StepTimes()
    times.add('b', 1)
    times.add('a', 5)
    times.add('b', 2.5)
    expect([...times.texts()]).toEqual([
      ['b', '3.50ms'],
      ['a', '5.00ms'],
    ])
    times.done('c')
    times.done('c')
    expect([...times.texts().keys()]).toEqual(['b', 'a', 'c'])
    expect(Number.isInteger(times.elapsedMs())).toBe(true)
  })
})

it('ends between searches if others wait, and notes missing vectors', () => {
  let [now, preempted] = [100, false]
  const lacked: unknown[] = []
  const watch = Object.assign(() => false, {
    isPreempted: () => preempted,
    lacksVector: (search: unknown) => void lacked.push(search),
  })
  const control = new SearchControl(1500, watch, () => now)
  now = 350.4
  expect(() => control.requireTurn(othersWait)).not.toThrow()
  preempted = true
  expect(() => control.requireTurn(othersWait)).toThrow('after 250 ms')
  const search = { uid: asIndexUid('a'), embedder: 'e' }
  control.noteLackedVector(search)
  expect(lacked).toEqual([search])
  const gone = new SearchControl(1500, () => true)
  expect(() => gone.requireTurn(othersWait)).toThrow(expect.objectContaining({ name: 'Canceled' }))
})

it('a vector that a search needs is named by the error that ends it', () => {
  const needed = { query: 2, embedder: { source: 'rest' }, cutoffMs: 5, isOptional: true }
  const error = new VectorNeeded(needed)
  expect([error.needed, String(error)]).toEqual([
    needed,
    'VectorNeeded: the search needs the vector of its query',
  ])
})
