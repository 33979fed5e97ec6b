// A follower of a published database, in memory: what it fetches, serves and reports.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { leaseKey } from '../../backup/objstore/keys.ts'
import { TransportFault } from '../../backup/objstore/transport.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import { BUCKET_MS_MAX, LEASE_RENEWAL_MS } from './limits.ts'
import { followingOf } from './record.ts'
import { follow, Published, place, stopFollowers } from './test-follower.ts'

afterEach(stopFollowers)
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const HOUR_MS = 3_600_000
/** Waits until an expectation holds; a busy machine may take seconds. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, 30_000)

describe('a follower', () => {
  it('takes over the newest state, then only what is new', async () => {
    const published = new Published()
    const films = await published.create('films')
    const first = await published.grow(films, 30)
    await published.publish()
    const name = await published.publish()
    const { follower, fs, folders, calls, fetched, messages, manifest, segmentsOf } = await follow(
      published.store,
    )
    await follower.open()
    expect(follower.follows).toEqual({
      unreadable: 0,
      source: 'the database `db`',
      snapshot: name,
      publishedAt: '2026-01-02T03:04:05Z',
      checkedAt: 1234,
      problem: null,
      missingIndexes: 0,
      missingBytes: 0,
    })
    expect(followingOf(manifest.state)).toMatchObject({
      follower: 'f',
      generation: 1,
      writer: 'http://w',
      instance: 'i',
    })
    expect(fs.size(first)).toBe(30)
    expect([segmentsOf('films'), follower.described]).toEqual([1, manifest.state])
    expect([folders, follower.queue !== undefined]).toEqual([['following/000001'], true])
    expect(published.store.objects.has(leaseKey(place, 'f'))).toBe(true)
    expect(messages).toEqual([expect.stringMatching(/^info: Took over .*: 35 bytes in/)])
    expect(calls).toEqual({ published: 1, closed: 0, news: 1 })
    expect(follower.whenServed([asIndexUid('films')])).toBeNull()

    follower.start()
    const second = await published.grow(films, 40)
    const before = fetched.length
    await published.publish()
    await vi.waitFor(() => expect(calls.news).toBe(2))
    expect(segmentsOf('films')).toBe(2)
    // The manifest, the log, and the new segment.
    expect(fetched.slice(before).filter((one) => one.endsWith('text'))).toEqual([
      second.slice('segments/'.length),
    ])
    expect(fs.list('following')).toEqual(['000002'])
    expect(calls).toMatchObject({ published: 3, closed: 1 })
  })

  it('reports a failure once, and when it is over', async () => {
    const published = new Published()
    await published.create('films')
    const { follower, failing, messages, reported, calls } = await follow(published.store)
    failing.message = 'away'
    const opening = follower.open()
    await vi.waitFor(() => expect(follower.follows.problem).toBe('away'))
    await vi.waitFor(() => expect(messages.length).toBe(1))
    failing.message = ''
    await vi.waitFor(() =>
      expect(messages.slice(1)).toEqual([expect.stringMatching(/no snapshot was published yet/)]),
    )
    expect(messages[0]).toContain('away (bucket b)')
    await published.publish('1.1.0')
    await vi.waitFor(() => expect(follower.follows.problem).toMatch(/by release 1\.1\.0/))
    expect(follower.follows).toMatchObject({ snapshot: null, publishedAt: null, checkedAt: null })
    await published.publish()
    await opening
    expect(messages.at(-1)).toBe('info: Follows the database `db` again.')
    expect([follower.follows.problem, calls.news, reported]).toEqual([null, 1, []])
    expect(messages.filter((one) => one.startsWith('warn')).length).toBe(3)
  })

  it('serves an index when its files are there, and others before', async () => {
    const published = new Published()
    const [films, songs] = [await published.create('films'), await published.create('songs')]
    await published.create('empty')
    await published.grow(films, 30)
    await published.grow(songs, 500)
    await published.publish()
    const lazy = await follow(published.store, { download: 'lazily', waitMsMax: 10_000 })
    const { follower, messages, segmentsOf, manifest } = lazy
    await follower.open()
    expect([segmentsOf('films'), segmentsOf('songs')]).toEqual([0, 0])
    expect(follower.follows).toMatchObject({ missingIndexes: 2 })
    expect(followingOf(manifest.state)!.missing?.length).toBe(2)
    expect(follower.whenServed([asIndexUid('empty')])).toBeNull()
    expect(follower.described.indexes.get(songs as never)!.segments.size).toBe(1)
    const waiting = follower.whenServed([asIndexUid('songs')])
    expect(waiting).not.toBeNull()
    follower.start()
    await waiting
    const all = 'info: All indexes are downloaded and served.'
    await vi.waitFor(() => expect(messages).toContain(all))
    expect(follower.follows.missingIndexes).toBe(0)
    expect([segmentsOf('films'), segmentsOf('songs')]).toEqual([1, 1])
    expect(followingOf(manifest.state)!.missing).toBeUndefined()
    expect(follower.described).toBe(manifest.state)
    expect(messages).toContain('info: Downloads 2 indexes, 530 bytes, and serves the others.')
  })

  it('says `again` only after a failure, and names no bucket if it has none', async () => {
    const published = new Published()
    await published.create('films')
    const { follower, failing, messages } = await follow(published.store, { store: null })
    failing.message = 'away'
    const opening = follower.open()
    await vi.waitFor(() => expect(follower.follows.problem).toBe('away'))
    expect(messages).toEqual(['warn: Could not take over the new state of the database `db`: away'])
    await published.publish()
    failing.message = ''
    await opening
    expect(messages.slice(1)).toEqual([
      expect.stringMatching(/^info: Took over /),
      'info: Follows the database `db` again.',
    ])
  })

  it('reports a mistake of its code, and serves what it has', async () => {
    const published = new Published()
    await published.create('films')
    const name = await published.publish()
    const mistake = new TypeError('a mistake')
    const { follower, failing, reported, messages, calls } = await follow(published.store)
    await follower.open()
    failing.mistake = mistake
    follower.start()
    await published.create('songs')
    const second = await published.publish()
    await vi.waitFor(() => expect(follower.follows.problem).toBe('TypeError: a mistake'))
    expect(reported[0]).toEqual(['Following failed.', mistake])
    expect([follower.follows.snapshot, calls.news]).toEqual([name, 1])
    expect(messages.filter((one) => one.startsWith('warn'))).toEqual([])
    failing.mistake = null
    await vi.waitFor(() => expect(follower.follows.snapshot).toBe(second))
    expect(follower.follows.problem).toBeNull()
    // One that lasts ends the start.
    const other = await follow(published.store)
    other.failing.mistake = mistake
    await expect(other.follower.open()).rejects.toThrow(mistake)
  })
})

describe('a file that cannot be downloaded', () => {
  const lazily = async () => {
    const published = new Published()
    const films = await published.create('films')
    await published.create('empty')
    await published.grow(films, 30)
    await published.publish()
    return follow(published.store, { download: 'lazily', waitMsMax: 1 })
  }
  const again = 'warn: A file of an index could not be downloaded and will be tried again: '

  it('is the problem of the follower until it is there', async () => {
    const { follower, gate, messages, reported } = await lazily()
    let words = 'away'
    gate.pass = (name) => {
      if (!name.endsWith('.text') || words === '') return Promise.resolve()
      return Promise.reject(new EngineFault('internal', words))
    }
    await follower.open()
    await vi.waitFor(() => expect(follower.follows.problem).toBe('away'))
    words = 'gone'
    await vi.waitFor(() => expect(follower.follows.problem).toBe('gone'))
    await expect(follower.whenServed(['films', 'unknown'].map(asIndexUid))).rejects.toThrow(
      'Index `films` is being downloaded and cannot be read yet: try again.',
    )
    expect(follower.whenServed(['empty', 'unknown'].map(asIndexUid))).toBeNull()
    words = ''
    await vi.waitFor(() => expect(follower.follows.problem).toBeNull())
    // Each message once, however often the file was tried.
    const warnings = messages.filter((one) => one.startsWith('warn'))
    expect([warnings, reported]).toEqual([[`${again}away`, `${again}gone`], []])
  })

  it('is reported if that is a mistake of the code', async () => {
    const { follower, gate, messages, reported } = await lazily()
    const mistake = new TypeError('a mistake')
    gate.pass = (name) => (name.endsWith('.text') ? Promise.reject(mistake) : Promise.resolve())
    await follower.open()
    await vi.waitFor(() => expect(follower.follows.problem).toBe('TypeError: a mistake'))
    expect(reported).toEqual([['Downloading failed.', mistake]])
    expect(messages.filter((one) => one.startsWith('warn'))).toEqual([])
  })

  it('is no problem if it was aborted', async () => {
    const { follower, gate } = await lazily()
    let tries = 0
    gate.pass = (name) => {
      if (!name.endsWith('.text')) return Promise.resolve()
      tries++
      return Promise.reject(new Canceled())
    }
    await follower.open()
    await vi.waitFor(() => expect(tries).toBeGreaterThan(1))
    expect(follower.follows).toMatchObject({ problem: null, missingIndexes: 1 })
  })
})

describe('the store of a follower', () => {
  it.each([
    [BUCKET_MS_MAX, 2],
    [BUCKET_MS_MAX + 1, 3],
  ])('that was opened %i ms before the next file is opened %i times', async (ms, opened) => {
    const published = new Published()
    const films = await published.create('films')
    await published.grow(films, 30)
    await published.publish()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(5)
    let openings = 0
    let failures = 1
    const bucket = published.store.bucket()
    const { follower } = await follow(published.store, {
      download: 'lazily',
      openBucket: () => {
        openings++
        return Promise.resolve(bucket)
      },
    })
    // The first opening is that of the check.
    bucket.until = () => bucket
    const get = bucket.get.bind(bucket)
    bucket.get = async function* (key, missing) {
      if (key.endsWith('.text') && failures-- > 0) {
        clock.mockReturnValue(5 + ms)
        throw new EngineFault('internal', 'away')
      }
      yield* get(key, missing)
    }
    await follower.open()
    await until(() => expect(follower.follows.missingBytes).toBe(0))
    expect(openings).toBe(opened)
  })
})

describe('a check', () => {
  it('that is canceled is no problem, and is repeated', async () => {
    const published = new Published()
    await published.create('films')
    await published.publish()
    let tries = 0
    const bucket = published.store.bucket()
    const { follower, messages } = await follow(published.store, {
      openBucket: () => (++tries < 3 ? Promise.reject(new Canceled()) : Promise.resolve(bucket)),
    })
    await follower.open()
    expect([tries, follower.follows.problem]).toEqual([3, null])
    expect(messages).toEqual([expect.stringMatching(/^info: Took over /)])
  })

  it('that the end of following aborts is no problem', async () => {
    const published = new Published()
    await published.create('films')
    await published.publish()
    let tries = 0
    const bucket = published.store.bucket()
    const { follower, messages } = await follow(published.store, {
      openBucket: (signal) =>
        ++tries === 1
          ? Promise.resolve(bucket)
          : new Promise((_, reject) => {
              signal.addEventListener('abort', () => reject(new EngineFault('internal', 'ended')))
            }),
    })
    await follower.open()
    follower.start()
    await until(() => expect(tries).toBe(2))
    await follower.stop()
    expect([messages.length, follower.follows.problem]).toEqual([1, null])
  })

  it.each([
    ['before following has started', true],
    ['during a pause', false],
  ])('follows at once when an index is ready %s', async (_, isBefore) => {
    const published = new Published()
    const films = await published.create('films')
    await published.grow(films, 30)
    await published.publish()
    const { follower, gate, fetched } = await follow(published.store, {
      download: 'lazily',
      pollMs: HOUR_MS,
      waitMsMax: HOUR_MS,
    })
    const isText = (name: string): boolean => name.endsWith('.text')
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    gate.pass = (name) => (isText(name) ? opened : Promise.resolve())
    await follower.open()
    await until(() => expect(fetched.some(isText)).toBe(true))
    const served = follower.whenServed([asIndexUid('films')])
    if (isBefore) {
      open()
      await until(() => expect(follower.follows.missingBytes).toBe(0))
    }
    follower.start()
    open()
    await served
    expect(follower.follows.missingIndexes).toBe(0)
  })

  it.each<[string, Error, boolean]>([
    ['passes if the store is away', new TransportFault(false, 'away'), false],
    ['passes if it was canceled', new Canceled(), false],
    ['is reported if that is a mistake of the code', new TypeError('a mistake'), true],
  ])('takes over while its lease is not renewed, which %s', async (_, failure, isReported) => {
    const published = new Published()
    const films = await published.create('films')
    await published.grow(films, 30)
    const name = await published.publish()
    const { follower, gate, reported, messages } = await follow(published.store)
    let reach = (): void => undefined
    let open = (): void => undefined
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    gate.pass = (file) => {
      if (!file.endsWith('.text')) return Promise.resolve()
      reach()
      return opened
    }
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const opening = follower.open()
    await reached
    const put = vi.spyOn(published.store.objects, 'set').mockImplementation(() => {
      throw failure
    })
    await vi.advanceTimersByTimeAsync(LEASE_RENEWAL_MS)
    await until(() => expect(put).toHaveBeenCalledTimes(1))
    put.mockRestore()
    open()
    await opening
    expect(reported).toEqual(isReported ? [['A lease could not be renewed.', failure]] : [])
    expect(follower.follows).toMatchObject({ snapshot: name, problem: null })
    expect(messages).toEqual([expect.stringMatching(/^info: Took over /)])
  })
})
