// Files of indexes that are still to be downloaded: the order of fetching, and waiting requests.
import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { asIndexNo, asIndexUid, type IndexUid } from '../../../format/ids.ts'
import type { Bucket } from '../../backup/objstore/index.ts'
import { EngineFault } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { Backlog } from './backlog.ts'
import type { Source, Wanted } from './download.ts'
import { DEMAND_LANES_MAX, LANES_MAX } from './limits.ts'

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))
const uidOf = (number: number): IndexUid => asIndexUid(`index-${number}`)

/** A store whose answers wait for their gates; `requested` has the requested paths in order. */
function storeOf() {
  const requested: string[] = []
  const gates: (() => void)[] = []
  const state = { fails: false, isOpen: false }
  const bucket = {
    signal: new AbortController().signal,
    until: () => bucket,
    get: async function* (key: string) {
      const name = key.slice(key.indexOf('-') + 1)
      requested.push(name)
      if (!state.isOpen) await new Promise<void>((resolve) => gates.push(resolve))
      if (state.fails) throw new EngineFault('s_3_snapshot_server_error', 'away')
      yield contentOf(name)
    },
  } as unknown as Bucket
  const open = (): void => {
    state.isOpen = true
    for (const gate of gates.splice(0)) gate()
  }
  return { requested, gates, state, open, source: { bucket, place: { prefix: '', name: 'db' } } }
}

const contentOf = (name: string): Uint8Array => new Uint8Array(Number(name.split('.')[1])).fill(7)

/** Returns a file of that many bytes. */
function file(name: string, bytes: number): Wanted {
  const called = `${name}.${bytes}`
  const sha256 = createHash('sha256').update(contentOf(called)).digest('hex')
  return { file: { path: `segments/${called}`, bytes, sha256 }, path: `segments/${called}` }
}

function backlogOf(source: Source, waitMsMax = 1000) {
  const fs = new FakeDisk().mount()
  fs.makeDirectory('segments')
  const failures: unknown[] = []
  let readies = 0
  const backlog = new Backlog({
    fs,
    source: () => Promise.resolve(source),
    waitMsMax,
    pause: turn,
    onReady: () => readies++,
    onFailure: (error) => void (error !== null && failures.push(error)),
  })
  return { backlog, fs, failures, readies: () => readies }
}

const many = (name: string, count: number, bytes: number): Wanted[] =>
  Array.from({ length: count }, (_, i) => file(`${name}${i}`, bytes + i))

describe('a backlog', () => {
  it('fetches small indexes first, and small files of each first', async () => {
    const { source, requested, open } = storeOf()
    const { backlog, readies } = backlogOf(source)
    backlog.miss(new Set([asIndexNo(1), asIndexNo(2)]))
    const large = many('large', LANES_MAX, 1000)
    await backlog.aim(
      new Map([
        [asIndexNo(1), large],
        [asIndexNo(2), [file('b', 20), file('a', 10)]],
      ]),
    )
    await turn()
    expect(requested.slice(0, 4)).toEqual(['a.10', 'b.20', 'large0.1000', 'large1.1001'])
    expect(requested.length).toBe(LANES_MAX)
    expect(backlog.bytesLeft).toBe(30 + large.reduce((sum, one) => sum + one.file.bytes, 0))
    open()
    await vi.waitFor(() => expect([...backlog.ready].sort()).toEqual([1, 2]))
    expect(backlog.bytesLeft).toBe(0)
    expect(readies()).toBe(2)
    expect(large.every((one) => backlog.has(one))).toBe(true)
  })

  it('fetches a requested index first, in separate lanes', async () => {
    const { source, requested, gates } = storeOf()
    const { backlog } = backlogOf(source)
    backlog.miss(new Set([asIndexNo(1), asIndexNo(2), asIndexNo(3)]))
    const wanted = new Map([
      [asIndexNo(1), many('one', 20, 10)],
      [asIndexNo(2), many('two', 20, 2000)],
      [asIndexNo(3), many('three', 20, 4000)],
    ])
    await backlog.aim(wanted)
    await turn()
    expect(requested.every((name) => name.startsWith('one'))).toBe(true)
    const waiting = backlog.wait([asIndexNo(3)], uidOf)
    expect(waiting).not.toBe(null)
    for (let i = 0; i < 9; i++) backlog.wait([asIndexNo(3)], uidOf)?.catch(() => undefined)
    await turn()
    expect(requested.slice(LANES_MAX)).toEqual(
      many('three', DEMAND_LANES_MAX, 4000).map(({ path }) => path.slice('segments/'.length)),
    )
    // A lane that becomes free continues with that index as well.
    gates.shift()!()
    await vi.waitFor(() => expect(requested.at(-1)).toMatch(/^three4/))
    backlog.miss(new Set([asIndexNo(1), asIndexNo(2)]))
    await expect(waiting).resolves.toBeUndefined()
    expect(backlog.wait([asIndexNo(3)], uidOf)).toBe(null)
    const stopped = backlog.stop()
    for (const gate of gates.splice(0)) gate()
    await stopped
  })

  it('has an index ready when its last file is there', async () => {
    const { source, requested, gates, open } = storeOf()
    const { backlog, readies } = backlogOf(source)
    backlog.miss(new Set([asIndexNo(1), asIndexNo(2)]))
    await backlog.aim(
      new Map([
        [asIndexNo(1), many('small', LANES_MAX - 1, 10)],
        [asIndexNo(2), [file('first', 5000), file('second', 6000)]],
      ]),
    )
    await turn()
    expect(requested.at(-1)).toBe('first.5000')
    // One lane has both files of the second index, one after the other.
    gates.pop()!()
    await vi.waitFor(() => expect(requested.at(-1)).toBe('second.6000'))
    expect([[...backlog.ready], readies()]).toEqual([[], 0])
    open()
    await vi.waitFor(() => expect([...backlog.ready].sort()).toEqual([1, 2]))
  })

  it('lets requests wait for a time, then names the index', async () => {
    const { source } = storeOf()
    const { backlog } = backlogOf(source, 5)
    backlog.miss(new Set([asIndexNo(7)]))
    await expect(backlog.wait([asIndexNo(7)], uidOf)).rejects.toMatchObject({
      code: 'index_not_downloaded',
      message: /`index-7`/,
    })
  })

  it('repeats failed files, and needs another snapshot after repeated failures', async () => {
    const { source, state, open, requested } = storeOf()
    const { backlog, failures } = backlogOf(source)
    state.fails = true
    open()
    backlog.miss(new Set([asIndexNo(1)]))
    await backlog.aim(new Map([[asIndexNo(1), [file('a', 10)]]]))
    expect(backlog.canGoOn).toBe(true)
    await vi.waitFor(() => expect(backlog.canGoOn).toBe(false))
    expect(failures.length).toBeGreaterThan(2)
    state.fails = false
    await vi.waitFor(() => expect([...backlog.ready]).toEqual([1]))
    expect(new Set(requested)).toEqual(new Set(['a.10']))
  })

  it('fetches nothing twice for a new target, and keeps files that it needs', async () => {
    const { source, requested, open } = storeOf()
    const { backlog, fs, readies } = backlogOf(source)
    open()
    backlog.miss(new Set([asIndexNo(1)]))
    const [a, b] = [file('a', 10), file('b', 20)]
    await backlog.aim(new Map([[asIndexNo(1), [a]]]))
    await vi.waitFor(() => expect(readies()).toBe(1))
    await backlog.aim(new Map([[asIndexNo(1), [a, b]]]))
    await vi.waitFor(() => expect(readies()).toBe(2))
    expect(requested).toEqual(['a.10', 'b.20'])
    expect(backlog.needs(a.path) && backlog.needs(`${b.path}.new`)).toBe(true)
    expect(backlog.needs('segments/other')).toBe(false)
    await fs.removeAsync(a.path)
    expect(backlog.has(a)).toBe(false)
    await backlog.halt()
    expect(backlog.needs(b.path)).toBe(false)
  })

  it('counts a file whose checksum is unknown as missing, and forgets indexes that are served', async () => {
    const { source, requested, open } = storeOf()
    const { backlog, readies } = backlogOf(source)
    open()
    const a = file('a', 10)
    backlog.miss(new Set([asIndexNo(1), asIndexNo(2)]))
    expect([backlog.isAimed, backlog.canGoOn, backlog.bytesLeft]).toEqual([false, false, 0])
    await backlog.aim(
      new Map([
        [asIndexNo(1), [a]],
        [asIndexNo(2), []],
      ]),
    )
    // An index without files is ready at once.
    expect([[...backlog.ready], readies()]).toEqual([[2], 1])
    await vi.waitFor(() => expect(backlog.has(a)).toBe(true))
    expect(backlog.has({ ...a, file: { ...a.file, sha256: null } })).toBe(false)
    expect(backlog.has({ ...a, file: { ...a.file, bytes: 11 } })).toBe(false)
    backlog.miss(new Set([asIndexNo(2)]))
    expect([...backlog.ready]).toEqual([2])
    expect(backlog.has(a)).toBe(true)
    backlog.miss(new Set())
    expect([[...backlog.missing], [...backlog.ready], backlog.has(a)]).toEqual([[], [], false])
    expect(requested).toEqual(['a.10'])
    await backlog.stop()
    expect(backlog.isAimed).toBe(false)
  })
})
