// How an engine is prepared to write into a store: who names its heads, and what it keeps.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import {
  OwnTerm,
  readPublisher,
  snapshotName,
  type WriterLease,
} from '../../backup/objstore/index.ts'
import { headKey } from '../../backup/objstore/keys.ts'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { encodeHead } from '../../backup/snapshot/index.ts'
import type { Runner } from '../../runner/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { storeTurnsOf } from '../../task-kinds/database/index.ts'
import type { StoreOptions } from '../../task-kinds/kind/index.ts'
import { fencedTransport, LeasedTerm } from './leased-term.ts'
import { openPublishing } from './open-publishing.ts'
import type { PublishOptions } from './options.ts'
import { PublishingRunner } from './publishing-runner.ts'
import { UnpublishedWrites } from './unpublished.ts'

const lease = { isHeld: true, isLost: false, term: 3, instance: 'i', nextTask: asTaskUid(5) }
const leaseWith = (changes: Partial<typeof lease>): WriterLease =>
  ({ ...lease, ...changes }) as unknown as WriterLease

const storeOf = (): StoreOptions => ({ place: { prefix: 'p', name: 'db' } }) as StoreOptions
const publishOf = (more: Partial<PublishOptions>): PublishOptions =>
  ({ store: storeOf(), ...more }) as PublishOptions

function partsOf(id = 'me') {
  const fs = new FakeDisk().mount()
  const bodies = { list: async () => [], remove: async () => undefined }
  return { fs, bodies, identity: { id, origin: 'own' } } as const
}

describe('an engine', () => {
  it('without a store writes to none', async () => {
    expect(await openPublishing({}, partsOf())).toEqual({ names: null, unpublished: null })
  })

  it('without a lease names heads by a term of its folder', async () => {
    const store = storeOf()
    const messages: string[] = []
    const note = (message: string): void => void messages.push(message)
    for (const options of [{ snapshots: { store } }, { publish: publishOf({ store }) }]) {
      const { names, unpublished } = await openPublishing({ ...options, note }, partsOf())
      expect([names instanceof OwnTerm, unpublished]).toEqual([true, null])
      expect(storeTurnsOf(store).names).toBe(names)
    }
    storeTurnsOf(store).say('a word')
    expect(messages).toEqual(['a word'])
  })

  it('takes the requested place, and no other', async () => {
    const objects = new MemoryObjects()
    const next = async (id: string, replaces?: string) => {
      const publish = publishOf(replaces === undefined ? {} : { replaces })
      const { names } = await openPublishing({ publish }, partsOf(id))
      const { name, placed } = await names!.next(objects.bucket(), 'published')
      const files: readonly never[] = []
      const head = {
        version: '1.0.0',
        createdAt: '2026-01-02T03:04:05Z',
        sequence: 1,
        placed,
        files,
      }
      objects.objects.set(headKey({ prefix: 'p', name: 'db' }, name, 'published'), encodeHead(head))
    }
    await next('a')
    await expect(next('b')).rejects.toMatchObject({ code: 'another_publisher' })
    await next('b', 'a')
  })

  it('under a lease notes its term and keeps what is not published', async () => {
    for (const [isLost, term] of [
      [false, 3],
      [true, 0],
    ] as const) {
      const parts = partsOf()
      const publish = publishOf({ lease: leaseWith({ isLost }) })
      const { names, unpublished } = await openPublishing({ publish }, parts)
      expect([names instanceof LeasedTerm, unpublished instanceof UnpublishedWrites]).toEqual([
        true,
        true,
      ])
      expect([unpublished!.from, readPublisher(parts.fs).term]).toEqual([5, term])
    }
  })
})

describe('a process with a lease', () => {
  it('counts its heads in each term', async () => {
    const held = { ...lease }
    const names = new LeasedTerm(held as unknown as WriterLease, 7)
    const next = async (): Promise<string> => (await names.next()).name
    expect([await next(), await next()]).toEqual([
      snapshotName({ term: 3, number: 1 }, 7),
      snapshotName({ term: 3, number: 2 }, 7),
    ])
    held.term = 4
    expect(await next()).toBe(snapshotName({ term: 4, number: 1 }, 7))
    held.isHeld = false
    await expect(next()).rejects.toMatchObject({ code: 'writer_lease_lapsed' })
  })

  it('sends nothing while it does not hold it, and may repeat the request', async () => {
    const answer = { status: 200, headers: {} } as never
    const send = (isHeld: boolean) =>
      fencedTransport(leaseWith({ isHeld }), async () => answer)({} as never)
    expect(await send(true)).toBe(answer)
    await expect(send(false)).rejects.toMatchObject({ mayRetry: true })
  })
})

it('tasks run before their results are published, and end before the last publication', async () => {
  const done: string[] = []
  const runner = {
    views: {},
    start: () => done.push('run'),
    stop: async () => void done.push('stopped'),
  } as unknown as Runner
  const publish = publishOf({ intervalMs: 1, say: () => undefined })
  const state = { state: { sequence: 1 } }
  const manifest = {
    get state() {
      done.push('published')
      return state.state
    },
  }
  const queue = { upkeep: { cut: null } }
  const parts = { options: publish, manifest, queue, log: { path: '' }, unpublished: null }
  const publishing = new PublishingRunner(runner, parts as never)
  publishing.start()
  expect(done).toEqual(['run', 'published'])
  await publishing.stop()
  expect(done.slice(-2)).toEqual(['stopped', 'published'])
})
