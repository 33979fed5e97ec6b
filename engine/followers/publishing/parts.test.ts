// The parts of publishing: pieces of a log, names under a lease, writes that are kept until they are
// published.
import { expect, test } from 'vitest'
import { StorageError } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { fencedTransport, LeasedTerm, lapsed } from './leased-term.ts'
import { PIECE_BYTES } from './limits.ts'
import { LogPieces } from './log-pieces.ts'
import { PublishingRunner } from './publishing-runner.ts'
import { UnpublishedWrites, unpublishedLists } from './unpublished.ts'

test('a log that grows is sent from its last piece on', async () => {
  const asked: (readonly [from: number, bytes: number])[] = []
  const digester = {
    run: async ({ files }: { readonly files: readonly { from: number; bytes: number }[] }) => {
      asked.push(...files.map(({ from, bytes }) => [from, bytes] as const))
      return { digests: files.map(({ from, bytes }) => `${from}+${bytes}`) }
    },
  } as never
  const { signal } = new AbortController()
  const pieces = new LogPieces()
  const of = async (path: string, bytes: number) => {
    asked.length = 0
    const file = { path, bytes, level: 0, source: `${path}.copy` }
    return (await pieces.of(file, digester, signal)).map(({ sha256 }) => sha256)
  }
  const full = `0+${PIECE_BYTES}`
  expect(await of('a', 10)).toEqual(['0+10'])
  expect(await of('a', PIECE_BYTES + 5)).toEqual([full, `${PIECE_BYTES}+5`])
  expect(await of('a', 2 * PIECE_BYTES)).toEqual([full, `${PIECE_BYTES}+${PIECE_BYTES}`])
  expect(asked).toEqual([[PIECE_BYTES, PIECE_BYTES]])
  expect(await of('a', 2 * PIECE_BYTES)).toHaveLength(2)
  expect(asked).toEqual([])
  // Another file begins with its first piece.
  expect(await of('b', PIECE_BYTES)).toEqual([full])
  expect(asked).toEqual([[0, PIECE_BYTES]])
})

test('heads are numbered within a term, while the lease is held', async () => {
  const lease = { isHeld: true, term: 3, instance: 'me' }
  const names = new LeasedTerm(lease as never, 5)
  const placedNext = async () => (await names.next()).placed
  expect(await placedNext()).toEqual({ term: 3, number: 1, instance: 'me' })
  expect(await placedNext()).toEqual({ term: 3, number: 2, instance: 'me' })
  lease.term = 4
  expect(await placedNext()).toEqual({ term: 4, number: 1, instance: 'me' })
  lease.isHeld = false
  await expect(names.next()).rejects.toMatchObject({ code: 'writer_lease_lapsed' })
  lease.isHeld = true
  expect(await placedNext()).toEqual({ term: 4, number: 2, instance: 'me' })
  const all = [await names.next(), await names.next()].map(({ name }) => name)
  expect(all.toSorted()).toEqual(all)
  expect(lapsed().code).toBe('writer_lease_lapsed')
})

test('nothing is sent without the lease', async () => {
  const lease = { isHeld: true }
  const sent: unknown[] = []
  const send = fencedTransport(
    lease as never,
    (async (request: unknown) => {
      sent.push(request)
      return 'answer'
    }) as never,
  )
  expect(await send('a' as never)).toBe('answer')
  lease.isHeld = false
  await expect(send('b' as never)).rejects.toThrow('does not hold the writer lease')
  expect(sent).toEqual(['a'])
})

test('bodies stay until a state that began after their removal is published', async () => {
  const removed: number[] = []
  let failure: Error | null = null
  const bodies = {
    list: async () => [7],
    remove: async (file: number) => {
      if (failure !== null) throw failure
      removed.push(file)
    },
  }
  const writes = new UnpublishedWrites(bodies, 4 as never)
  expect([writes.from, await writes.list()]).toEqual([4, [7]])
  await writes.remove(1)
  await writes.remove(2)
  const first = writes.cut()
  await writes.remove(3)
  expect(removed).toEqual([])
  await first(9 as never)
  expect([removed, writes.from]).toEqual([[1, 2], 9])
  failure = new StorageError('io', 'x', 'no')
  await writes.cut()(10 as never)
  failure = null
  await writes.cut()(11 as never)
  expect(removed).toEqual([1, 2])
  await writes.remove(5)
  failure = new TypeError('a mistake')
  await expect(writes.cut()(12 as never)).rejects.toThrow(TypeError)
  let wanted = 0
  writes.publish()
  writes.onWanted = () => void wanted++
  writes.publish()
  expect(wanted).toBe(1)
})

test('lists of saved writes are found by their terms', () => {
  const fs = new FakeDisk().mount()
  expect(unpublishedLists(fs)).toEqual([])
  fs.makeDirectory('unpublished')
  for (const term of ['3', '4']) fs.makeDirectory(`unpublished/${term}`)
  expect(unpublishedLists(fs)).toEqual([
    'unpublished/3/requests.ndjson',
    'unpublished/4/requests.ndjson',
  ])
})

test('a runner that publishes is the runner inside, with a publisher', async () => {
  const calls: string[] = []
  const called = (name: string) => () => {
    calls.push(name)
    return Promise.resolve()
  }
  const names = ['start', 'idle', 'allMerged', 'stop', 'cleaned']
  const inside = {
    views: 'views',
    follows: 'follows',
    ...Object.fromEntries(names.map((name) => [name, called(name)])),
  }
  const say = (_: string, words: string): void => void calls.push(words)
  const store = { place: { prefix: '', name: 'db' }, url: 'https://store.test/', bucket: 'b' }
  // The store cannot be opened: each attempt fails, the first and the last one.
  const parts = {
    options: { store, intervalMs: 3_600_000, say },
    manifest: { state: { sequence: 1 } },
    log: { path: 'l' },
    queue: { upkeep: { cut: null } },
    unpublished: null,
  }
  const runner = new PublishingRunner(inside as never, parts as never)
  expect([runner.views, runner.follows]).toEqual(['views', 'follows'])
  await Promise.all([runner.idle(), runner.allMerged(), runner.cleaned()])
  expect(calls).toEqual(['idle', 'allMerged', 'cleaned'])
  expect(runner.publication.status.snapshot).toBeNull()
  runner.start()
  await runner.stop()
  const rest = calls.slice(3)
  expect([rest[0], rest.filter((one) => one === 'stop').length]).toEqual(['start', 1])
  expect(rest.at(-1)).toMatch(/^The database could not be published to /)
})
