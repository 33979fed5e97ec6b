// Who may write heads without a lease, and in which order.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { encodeHead, type PlacedHead } from '../snapshot/index.ts'
import type { UnreadableHeads } from './heads.ts'
import { heads } from './heads.ts'
import { headKey, snapshotName, TERM_MAX, writerKey } from './keys.ts'
import { EXAMINE_MS } from './limits.ts'
import { OwnTerm, type OwnTermOptions, placeBefore } from './own-term.ts'
import type { PublisherNote } from './publisher-file.ts'
import { bucketOf, keyOf } from './test-bucket.ts'
import { MemoryObjects } from './test-memory-store.ts'
import { StoreTurns } from './turns.ts'
import { encodeWriter } from './writer-v1.ts'

const place = { prefix: 'p', name: 'db' }
const OLD_NAME = '20990102-030405006000-1a2b3c4d'

function writeHead(store: MemoryObjects, name: string, placed?: PlacedHead): void {
  const head = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: 1, files: [] }
  const bytes = encodeHead(placed === undefined ? head : { ...head, placed })
  store.objects.set(headKey(place, name, 'published'), bytes)
}

/** A process of an instance; `note` stays in its folder. */
function processOf(id: string, note: { value: PublisherNote }, more: Partial<OwnTermOptions> = {}) {
  return new OwnTerm({
    place,
    identity: { id, origin: 'own' },
    note: note.value,
    remember: async (changed) => {
      note.value = changed
    },
    mark: 7,
    unreadable: new StoreTurns().unreadable,
    ...more,
  })
}

/** Writes the next head of a process as a publisher does; returns its name. */
async function publish(store: MemoryObjects, term: OwnTerm): Promise<string> {
  const { name, placed } = await term.next(store.bucket(), 'published')
  writeHead(store, name, placed)
  return name
}

const ANOTHER = { code: 'another_publisher' }

describe('a process without a lease', () => {
  it('begins a term after those of the store and of its folder, and counts in it', async () => {
    const store = new MemoryObjects()
    writeHead(store, OLD_NAME)
    const note = { value: { term: 0 } }
    const first = processOf('a', note)
    const names = [await publish(store, first), await publish(store, first)]
    expect(names).toEqual([
      snapshotName({ term: 1, number: 1 }, 7),
      snapshotName({ term: 1, number: 2 }, 7),
    ])
    expect(await publish(store, processOf('a', note))).toBe(snapshotName({ term: 2, number: 1 }, 7))
    // The store shows nothing of all that: the folder knows its last term.
    for (const key of store.objects.keys()) store.hidden.add(key)
    expect(await publish(store, processOf('a', note))).toBe(snapshotName({ term: 3, number: 1 }, 7))
    store.hidden.clear()
    const all = await heads.names(store.bucket(), place, 'published')
    expect(all[0]).toBe(OLD_NAME)
    expect(all.at(-1)).toBe(snapshotName({ term: 3, number: 1 }, 7))
  })

  it('is refused where another instance publishes, unless it replaces that one', async () => {
    const store = new MemoryObjects()
    await publish(store, processOf('a', { value: { term: 0 } }))
    const note = { value: { term: 0 } }
    await expect(publish(store, processOf('b', note))).rejects.toMatchObject(ANOTHER)
    await expect(publish(store, processOf('b', note, { replaces: 'other' }))).rejects.toMatchObject(
      ANOTHER,
    )
    expect(note.value).toEqual({ term: 0 })
    expect(store.objects.size).toBe(1)
    await publish(store, processOf('b', note, { replaces: 'a' }))
    // From now on it is the one whose place it is.
    await publish(store, processOf('b', note))
    await expect(publish(store, processOf('a', { value: { term: 1 } }))).rejects.toMatchObject({
      ...ANOTHER,
      message: expect.stringContaining('--objstore-publish-replaces b'),
    })
  })

  it('that a promoted follower was, has the permission in its folder, for once', async () => {
    const store = new MemoryObjects()
    await publish(store, processOf('a', { value: { term: 0 } }))
    const note = { value: { term: 0, replaces: 'a' } }
    await publish(store, processOf('b', note))
    await publish(store, processOf('b', note))
    expect(note.value).toEqual({ term: 3 })
    await publish(store, processOf('c', { value: { term: 0 } }, { replaces: 'b' }))
    await expect(publish(store, processOf('b', note))).rejects.toMatchObject(ANOTHER)
  })

  it('stops when another instance has taken its place meanwhile', async () => {
    const store = new MemoryObjects()
    const first = processOf('a', { value: { term: 0 } })
    await publish(store, first)
    await publish(store, processOf('b', { value: { term: 0 } }, { replaces: 'a' }))
    // A request for a snapshot looks again at once.
    const next = (): Promise<unknown> => first.next(store.bucket(), 'snapshots')
    await expect(next()).rejects.toMatchObject(ANOTHER)
    await expect(next()).rejects.toMatchObject(ANOTHER)
  })

  it('is refused with a copied folder, and where writers hold a lease', async () => {
    const store = new MemoryObjects()
    const note = { value: { term: 0 } }
    const copied = processOf('a', note, { identity: { id: 'a', origin: 'copied' } })
    await expect(publish(store, copied)).rejects.toMatchObject(ANOTHER)
    const end = { term: 3, instance: 'a', head: null, nextTask: asTaskUid(0) }
    const more = { process: 'x', leaseMs: 1000, beat: 0, isReleased: true, ends: [] }
    store.objects.set(writerKey(place), encodeWriter({ ...end, ...more }))
    await expect(publish(store, processOf('a', note))).rejects.toMatchObject({
      ...ANOTHER,
      message: expect.stringContaining('--objstore-writer-lease'),
    })
    expect(store.objects.size).toBe(1)
  })

  it('goes on in its term until the place has a newer snapshot of another process', async () => {
    const store = new MemoryObjects()
    const note = { value: { term: 0 } }
    const term = processOf('a', note)
    const snapshot = async () => {
      const { name, placed } = await term.next(store.bucket(), 'snapshots')
      const given = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: 1, files: [] }
      store.objects.set(headKey(place, name, 'snapshots'), encodeHead({ ...given, placed }))
      return [placed.term, placed.number]
    }
    expect([await snapshot(), await snapshot()]).toEqual([
      [1, 1],
      [1, 2],
    ])
    const other = { term: 5, number: 1, instance: 'b' }
    const given = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: 1, files: [] }
    store.objects.set(
      headKey(place, snapshotName(other, 1), 'snapshots'),
      encodeHead({ ...given, placed: other }),
    )
    expect([await snapshot(), await snapshot()]).toEqual([
      [6, 1],
      [6, 2],
    ])
    expect(note.value).toEqual({ term: 6 })
  })

  it('looks at the place again after a time, and before each snapshot', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(5)
    onTestFinished(() => clock.mockRestore())
    const store = new MemoryObjects()
    let lists = 0
    const bucket = bucketOf((request) => {
      if (keyOf(request) === '') lists++
      return store.transport(request)
    })
    const term = processOf('a', { value: { term: 0 } })
    const looks = async (ms: number, kind: 'published' | 'snapshots') => {
      clock.mockReturnValue(ms)
      lists = 0
      await term.next(bucket, kind)
      return lists > 0
    }
    expect([
      await looks(5, 'published'),
      await looks(EXAMINE_MS + 4, 'published'),
      await looks(EXAMINE_MS + 5, 'published'),
      await looks(EXAMINE_MS + 6, 'published'),
      await looks(EXAMINE_MS + 6, 'snapshots'),
      await looks(2 * EXAMINE_MS + 5, 'published'),
      await looks(2 * EXAMINE_MS + 6, 'published'),
    ]).toEqual([true, false, true, false, true, false, true])
  })

  it('goes on in its term if the store has lost its heads', async () => {
    const store = new MemoryObjects()
    const term = processOf('a', { value: { term: 0 } })
    await publish(store, term)
    store.objects.clear()
    // A request for a snapshot looks again at once.
    const { placed } = await term.next(store.bucket(), 'snapshots')
    expect(placed).toEqual({ term: 1, number: 2, instance: 'a' })
  })

  it('has a last term', async () => {
    const store = new MemoryObjects()
    const last = processOf('a', { value: { term: TERM_MAX - 1 } })
    expect(await publish(store, last)).toBe(snapshotName({ term: TERM_MAX, number: 1 }, 7))
    await expect(publish(store, processOf('a', { value: { term: 0 } }))).rejects.toMatchObject({
      ...ANOTHER,
      message:
        'This instance must not write to its place: all terms are used up: choose another prefix.',
    })
  })

  it('is told who publishes, since when, and the way out', async () => {
    const store = new MemoryObjects()
    const name = snapshotName({ term: 5, number: 2 }, 1)
    const placed = { term: 5, number: 2, instance: 'b' }
    const given = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: 1, files: [] }
    for (const [writer, words] of [
      [{}, 'the instance b publishes'],
      [{ writer: 'http://b' }, 'the instance b (http://b) publishes'],
    ] as const) {
      const bytes = encodeHead({ ...given, placed, ...writer })
      store.objects.set(headKey(place, name, 'published'), bytes)
      await expect(publish(store, processOf('a', { value: { term: 0 } }))).rejects.toThrow(
        `This instance must not write to its place: ${words} there; its newest state is ` +
          `${name} of 2026-01-02T03:04:05Z. If it will never publish there again, start with ` +
          '`--objstore-publish-replaces b`.',
      )
    }
  })

  it('skips heads that cannot be read, and names each once', async () => {
    const store = new MemoryObjects()
    const said: string[] = []
    const turns = new StoreTurns()
    turns.say = (message) => void said.push(message)
    const unreadable: UnreadableHeads = turns.unreadable
    const term = processOf('a', { value: { term: 0 } }, { unreadable })
    const garbage = ['', 'x', '{}', '{"format":99}', `{${' '.repeat(70)}`]
    for (const [i, text] of garbage.entries()) {
      store.set(headKey(place, snapshotName({ term: 900 + i, number: 1 }, 1), 'published'), text)
    }
    for (let i = 0; i < 3; i++) await publish(store, term)
    expect(said.length).toBe(garbage.length)
    expect(unreadable.count).toBe(garbage.length)
    expect(unreadable.hasDoubts).toBe(true)
  })
})

it('a first lease continues after the heads of the place, and only for who may', async () => {
  const store = new MemoryObjects()
  const { unreadable } = new StoreTurns()
  const before = (...may: string[]) => placeBefore(store.bucket(), place, may, unreadable)
  expect(await before('b')).toEqual({ term: 0, head: null })
  const name = await publish(store, processOf('a', { value: { term: 4 } }))
  await expect(before('b')).rejects.toMatchObject(ANOTHER)
  expect(await before('b', 'a')).toEqual({ term: 5, head: name })
})

it('a head under the name of another position is damaged', async () => {
  const store = new MemoryObjects()
  const name = snapshotName({ term: 5, number: 2 }, 1)
  const ref = { name, kind: 'published' } as const
  for (const placed of [undefined, { term: 5, number: 1, instance: 'a' }]) {
    writeHead(store, name, placed)
    await expect(heads.read(store.bucket(), place, ref)).rejects.toMatchObject({ code: 'damaged' })
  }
  writeHead(store, name, { term: 5, number: 2, instance: 'a' })
  expect((await heads.read(store.bucket(), place, ref)).placed?.instance).toBe('a')
})
