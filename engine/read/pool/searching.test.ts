// Requests on their way to a thread: which need a permit, which views they name, how often the
// background asks again, and searches on the calling thread.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asIndexNo } from '../../../format/ids.ts'
import { DEFAULT_SEARCH, EngineFault } from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { JobRequest, ViewsRequest } from '../jobs/protocol.ts'
import { SearchInPlace } from './in-place.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import { jobOf, type LeasedView, needsPermit } from './searching.ts'
import { films } from './test-films.ts'
import { WorkerCore } from './worker-core.ts'

const refOf = (index: number, sequence = 1): ViewRef =>
  ({ index: asIndexNo(index), sequence, segments: [] }) as unknown as ViewRef
const leased = (ref: ViewRef, release = (): void => undefined): LeasedView => ({ ref, release })

it.each([
  ['search', true],
  ['searches', true],
  ['federated', true],
  ['facet-search', true],
  ['suggest', true],
  ['digest', true],
  ['export', true],
  ['document', false],
  ['similar', false],
  ['instances', false],
  ['hydration', false],
  ['fields', false],
])('%s needs a permit: %s', (kind, expected) => {
  expect(needsPermit({ kind } as unknown as JobRequest)).toBe(expected)
})

it('a list of documents needs a permit unless a feature says otherwise', () => {
  const needs = [true, false].map((disableDocumentsFetchQueue) => {
    const features = { disableDocumentsFetchQueue }
    return needsPermit({ kind: 'documents', features } as unknown as JobRequest)
  })
  expect(needs).toEqual([false, true])
})

describe('a job', () => {
  const views = [1, 2, 3].map((index) => leased(refOf(index, index * 10)))
  const [first, ...others] = [1, 2, 3].map((index) => ({ index, sequence: index * 10 }))
  const made = (kind: string, count: number) =>
    jobOf(views.slice(0, count), { kind } as unknown as JobRequest | ViewsRequest, 7)

  it('over one view names it, and the views behind it', () => {
    expect(made('search', 1)).toEqual({ kind: 'search', job: 7, view: first })
    expect(made('search', 3)).toEqual({ kind: 'search', job: 7, view: first, others })
  })

  it.each(['federated', 'searches', 'instances', 'hydration'])('%s names all views', (kind) => {
    expect(made(kind, 3)).toEqual({ kind, job: 7, views: [first, ...others] })
    expect(made(kind, 1)).toEqual({ kind, job: 7, views: [first] })
  })
})

describe('background work', () => {
  const FULL = new EngineFault('too_many_search_requests', 'full')

  it('asks again a second later while too many searches wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const answers = [FULL, FULL, 'done']
    let asked = 0
    const search = async () => {
      const answer = answers[asked++]!
      if (answer instanceof Error) throw answer
      return answer
    }
    const done = retryWhileBusy(search)
    await vi.advanceTimersByTimeAsync(999)
    expect(asked).toBe(1)
    await vi.advanceTimersByTimeAsync(1001)
    expect(await done).toBe('done')
    expect(asked).toBe(3)
  })

  it.each([new EngineFault('index_not_found', 'x'), new Error('x')])(
    'does not ask again after another failure (%s)',
    async (error) => {
      const search = vi.fn(() => Promise.reject(error))
      await expect(retryWhileBusy(search)).rejects.toBe(error)
      expect(search).toHaveBeenCalledOnce()
    },
  )
})

describe('searches on the calling thread', () => {
  async function inPlace() {
    const { disk, ref } = await films()
    const lacked: unknown[] = []
    const searching = new SearchInPlace(disk.mount(), (all) => lacked.push(all))
    const handle = vi.spyOn(WorkerCore.prototype, 'handle')
    onTestFinished(() => handle.mockRestore())
    const messages = (): string[] => {
      const seen = handle.mock.calls.map(([message]) =>
        message.kind === 'view'
          ? `view ${message.view.sequence - ref.sequence}${message.isAhead ? ' ahead' : ''}`
          : message.kind,
      )
      handle.mockClear()
      return seen
    }
    return { searching, ref, lacked, messages, next: { ...ref, sequence: ref.sequence + 1 } }
  }

  const request = (id: string) =>
    ({ kind: 'document', id, fields: ['id'], retrieveVectors: false }) as const

  it('answer or fail, and release their views either way', async () => {
    const { searching, ref, next, lacked } = await inPlace()
    const released: string[] = []
    const views = [ref, next].map((one, i) => leased(one, () => void released.push(`view ${i}`)))
    const text = Buffer.from(await searching.run(views[0]!, request('2'))).toString()
    expect([text, released, lacked]).toEqual(['{"id":2}', ['view 0'], [[]]])
    const failing = searching.run(views[0]!, request('none'), null, [views[1]!])
    await expect(failing).rejects.toMatchObject({ code: 'document_not_found' })
    expect(released).toEqual(['view 0', 'view 0', 'view 1'])
    expect(lacked).toHaveLength(1)
  })

  it('send each view once, until it is forgotten', async () => {
    const { searching, ref, next, messages } = await inPlace()
    await searching.run(leased(ref), request('2'))
    await searching.run(leased(ref), request('2'), null, [leased(next)])
    expect(messages()).toEqual(['view 0', 'document', 'view 1', 'document'])
    searching.forget([ref], [])
    await searching.run(leased(ref), request('2'))
    expect(messages()).toEqual(['forget', 'view 0', 'document'])
  })

  it('prepare announced views of indexes that were searched', async () => {
    const { searching, ref, next, messages } = await inPlace()
    searching.announce(ref)
    expect(messages()).toEqual([])
    await searching.run(leased(ref), request('2'))
    searching.announce(next)
    searching.announce({ ...ref, index: asIndexNo(99) })
    await searching.run(leased(next), request('2'))
    expect(messages()).toEqual(['view 0', 'document', 'view 1 ahead', 'document'])
  })

  it('run over several views, or say which vector they need', async () => {
    const { searching, ref } = await inPlace()
    const released: string[] = []
    const views = [leased(ref, () => void released.push('view'))]
    const names = { requestUid: 'r', queryUids: null, sentAt: 0 }
    const query = { ...DEFAULT_SEARCH, q: 'alien' }
    const searches = [{ indexUid: 'films', request: query, weight: 1, queryPosition: null }]
    const several = { kind: 'searches', searches, first: 0, features: {}, ...names }
    const bytes = await searching.runOver(views, several as unknown as ViewsRequest)
    expect(Buffer.from(bytes).toString()).toMatch(/"indexUid":"films","hits":\[\{"id":2,/)
    expect(released).toEqual(['view'])

    const embedders = { e: { source: 'ollama', url: 'http://x', model: 'm', dimensions: 2 } }
    const settings = JSON.stringify({ ...JSON.parse(ref.settings), embedders, searchCutoffMs: 70 })
    const other = leased({ ...ref, settings, sequence: ref.sequence + 1 })
    const hybrid = { embedder: 'e', semanticRatio: 1 }
    const request = { ...query, hybrid }
    const search = { kind: 'search', request, features: {}, requestUid: 'r', queryUid: null }
    await expect(
      searching.run(other, { ...search, sentAt: 0 } as unknown as JobRequest),
    ).rejects.toMatchObject({
      name: 'VectorNeeded',
      needed: { query: 0, embedder: embedders.e, cutoffMs: 70, isOptional: false },
    })
    await searching.acquire().then(({ release }) => release())
  })

  it('are no load', async () => {
    const { searching } = await inPlace()
    const { cacheBytes, ...counts } = searching.load
    expect(new Set(Object.values(counts))).toEqual(new Set([0]))
    expect([cacheBytes.documents, searching.busyShare, searching.isBehind]).toEqual([0, 0, false])
  })
})
