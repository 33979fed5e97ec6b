// Uploads and removals of one process take turns; what a folder has done in a store is noted, and
// which heads could not be read.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import { ArchiveError, type ArchiveErrorCode } from '../archive/index.ts'
import { UnreadableHeads } from './heads.ts'
import { TERM_MAX } from './keys.ts'
import { DELETED_KEYS_MAX, OWN_HEADS, RECENT_MS, UNREADABLE_MS } from './limits.ts'
import { readPublisher, writePublisher } from './publisher-file.ts'
import { StoreTurns } from './turns.ts'

/** Returns work that is done when `finish` is called, and a list of what happened. */
function gated() {
  const happened: string[] = []
  const finish: { [name: string]: () => void } = {}
  const work = (name: string) => (): Promise<void> => {
    happened.push(`${name} begins`)
    return new Promise((resolve) => {
      finish[name] = () => {
        happened.push(`${name} ends`)
        resolve()
      }
    })
  }
  return { happened, finish, work }
}

describe('the turns of a store', () => {
  it('have no removal beside an upload, or beside another removal', async () => {
    const turns = new StoreTurns()
    const { happened, finish, work } = gated()
    const uploads = ['a', 'b'].map((name) => turns.upload(work(name)))
    turns.known = new Map()
    expect(await turns.retain(work('early'))).toBe(false)
    finish['a']!()
    await uploads[0]
    expect(await turns.retain(work('early'))).toBe(false)
    expect(turns.known).not.toBeNull()
    finish['b']!()
    await uploads[1]
    const removal = turns.retain(work('removal'))
    expect(turns.known).toBeNull()
    expect(await turns.retain(work('second'))).toBe(false)
    const waiting = turns.upload(work('c'))
    finish['removal']!()
    expect(await removal).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    finish['c']!()
    await waiting
    expect(happened).toEqual(
      ['a begins', 'b begins', 'a ends', 'b ends'].concat(
        ['removal', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
      ),
    )
  })

  it('go on after failures', async () => {
    const turns = new StoreTurns()
    const fail = (): Promise<never> => Promise.reject(new Error('failed'))
    await expect(turns.upload(fail)).rejects.toThrow('failed')
    await expect(turns.retain(fail)).rejects.toThrow('failed')
    expect(await turns.upload(async () => 7)).toBe(7)
    expect(await turns.retain(async () => undefined)).toBe(true)
  })

  it('remember the heads that were just written, and a limited number of deleted files', () => {
    const turns = new StoreTurns()
    const ref = { name: 'a', kind: 'published' } as const
    turns.writes('a', 'published')
    expect(turns.isRecent(ref)).toBe(true)
    expect(turns.isRecent({ ...ref, kind: 'snapshots' })).toBe(false)
    turns.disowns(['b', 'a'])
    expect(turns.isRecent(ref)).toBe(false)
    const keys = Array.from({ length: DELETED_KEYS_MAX + 2 }, (_, i) => String(i))
    turns.removed(keys)
    expect([...turns.deleted]).toEqual(keys.slice(2))
  })
})

/** Returns a function that sets the steady clock of this test. */
function steadyClock(): (ms: number) => void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  return (ms) => void clock.mockReturnValue(ms)
}

describe('the heads that a process wrote', () => {
  it('are those of the last seconds, and the last ones of each kind', () => {
    const setMs = steadyClock()
    const turns = new StoreTurns()
    const own = () => turns.own.map(({ name, kind }) => `${name}${kind === 'snapshots' ? 's' : ''}`)
    turns.writes('1', 'snapshots')
    for (let name = 1; name <= OWN_HEADS + 1; name++) turns.writes(String(name), 'published')
    setMs(RECENT_MS - 1)
    turns.writes('5', 'published')
    expect(own()).toEqual(['1s', '1', '2', '3', '4', '5'])
    const ref = { name: '4', kind: 'published' } as const
    expect(turns.isRecent(ref)).toBe(true)
    setMs(RECENT_MS)
    expect(turns.isRecent(ref)).toBe(false)
    turns.writes('6', 'published')
    expect(own()).toEqual(['1s', '4', '5', '6'])
    turns.writes('2', 'snapshots')
    expect(own()).toEqual(['4', '5', '6', '1s', '2s'])
  })
})

describe('heads that cannot be read', () => {
  const ref = { name: 'n', kind: 'published' } as const
  const heads = () => {
    const said: string[] = []
    const unreadable = new UnreadableHeads((message) => void said.push(message))
    const fail = (code: ArchiveErrorCode, words = 'no', object: typeof ref | 'writer' = ref) =>
      unreadable.skipping(object, () => Promise.reject(new ArchiveError(code, words)))
    return { unreadable, said, fail }
  }

  it('are known for a minute, and not after they were read', async () => {
    const setMs = steadyClock()
    const { unreadable, fail } = heads()
    expect(unreadable.isKnown(ref)).toBe(false)
    expect(await fail('damaged')).toBeNull()
    setMs(UNREADABLE_MS - 1)
    expect(unreadable.isKnown(ref)).toBe(true)
    expect(unreadable.isKnown({ ...ref, kind: 'snapshots' })).toBe(false)
    setMs(UNREADABLE_MS)
    expect([unreadable.isKnown(ref), unreadable.count]).toEqual([false, 1])
    expect(await unreadable.skipping(ref, async () => 7)).toBe(7)
    expect(unreadable.count).toBe(0)
  })

  it('are reported once for each reason', async () => {
    const { said, fail } = heads()
    for (const words of ['no', 'no', 'other']) await fail('damaged', words)
    await fail('damaged', 'no', 'writer')
    const words = (path: string, reason: string): string =>
      `The object \`${path}.json\` of the store is skipped: ${reason}.`
    expect(said).toEqual([
      words('published/n', 'no'),
      words('published/n', 'other'),
      words('writer', 'no'),
    ])
  })

  it.each<[ArchiveErrorCode, boolean]>([
    ['damaged', false],
    ['too_large', false],
    ['newer', true],
    ['missing', true],
  ])('twice are %s: they may be heads all the same: %s', async (code, hasDoubts) => {
    const { unreadable, fail } = heads()
    expect(unreadable.hasDoubts).toBe(false)
    await fail(code)
    expect(unreadable.hasDoubts).toBe(true)
    await fail(code)
    expect(unreadable.hasDoubts).toBe(hasDoubts)
  })

  it('are forgotten once the store has them no longer; the writer record is not', async () => {
    const { unreadable, fail } = heads()
    await fail('damaged')
    await fail('damaged', 'no', 'writer')
    unreadable.keepOnly([ref])
    expect(unreadable.count).toBe(2)
    unreadable.keepOnly([{ ...ref, kind: 'snapshots' }])
    expect([unreadable.count, unreadable.isKnown(ref)]).toEqual([1, false])
  })

  it('are not noted after another failure, or if a newer release wrote the writer record', async () => {
    const { unreadable, fail } = heads()
    const ours = new TypeError('ours')
    await expect(unreadable.skipping(ref, () => Promise.reject(ours))).rejects.toBe(ours)
    await expect(fail('newer', 'no', 'writer')).rejects.toMatchObject({ code: 'newer' })
    expect(unreadable.count).toBe(0)
  })
})

describe('the note of a publisher', () => {
  it('is read back, and is that of no term without a file', async () => {
    const fs = new FakeDisk().mount()
    expect(readPublisher(fs)).toEqual({ term: 0 })
    for (const note of [{ term: 7 }, { term: TERM_MAX, replaces: 'other-1' }]) {
      await writePublisher(fs, note)
      expect(readPublisher(fs)).toEqual(note)
    }
  })

  it.each([
    ['{"term":3,"later":1}', 3],
    ['{"term":3', 0],
    [`{"term":${TERM_MAX + 1}}`, 0],
    ['{"term":3,"replaces":"a b"}', 0],
  ])('%s has the term %i', (text, term) => {
    const fs = new FakeDisk().mount()
    const file = fs.open('PUBLISHER', 'create')
    file.write(0, Buffer.from(text))
    file.close()
    expect(readPublisher(fs).term).toBe(term)
  })
})
