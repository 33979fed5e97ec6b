// Uploads and removals of one process take turns; what a folder has done in a store is noted.
import { describe, expect, it } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import { TERM_MAX } from './keys.ts'
import { DELETED_KEYS_MAX } from './limits.ts'
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
