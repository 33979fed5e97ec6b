// Consistent cuts: which files they hold under which names, and what they wait for and let go.
import { describe, expect, it } from 'vitest'
import { asIndexNo } from '../../../format/ids.ts'
import { CUT_TRIES_MAX } from '../../backup/snapshot/index.ts'
import { FakeDisk, readFile } from '../../store/storage/index.ts'
import { applied, stateOf } from '../kind/test-states.ts'
import { emptyStaging, takeConsistentCut } from './snapshot-cut.ts'

const LOG = 'tasks/tasks-000001.log'
const BODIES = [1, 2].map((number) => `tasks/bodies/00000${number}.body`)

type Given = {
  /** Number of turns in which a change of the queue is in progress. */
  readonly busy?: number
  /** Number of turns in which the views lack the last commit. */
  readonly late?: number
  readonly links?: boolean
  readonly bodies?: readonly number[]
  /** Bodies of all cuts but the first. */
  readonly laterBodies?: readonly number[]
  /** Bytes of the log that the cut holds. */
  readonly logBytes?: number
}

function world(given: Given = {}) {
  const { busy = 0, late = 0, links = true, bodies = [1, 2], laterBodies = bodies } = given
  const fs = new FakeDisk().mount()
  for (const folder of ['tasks', 'tasks/bodies', 'segments']) fs.makeDirectory(folder)
  const put = (path: string, text: string): void => {
    const file = fs.open(path, 'create')
    file.write(0, Buffer.from(text))
    file.close()
  }
  put(LOG, 'log and more')
  for (const [i, path] of BODIES.entries()) put(path, 'x'.repeat(i + 1))
  if (!links) fs.link = () => false
  const location = { kind: 'file', checksum: 1 } as const
  const figures = { layer: 'documents', documents: 1, idMin: 0, idMax: 0 } as const
  const added = { kind: 'segment-added', index: asIndexNo(1), ...figures } as const
  const state = applied(stateOf(['a', 'b']), [
    { ...added, segment: 8 as never, bytes: 5, location },
    {
      ...added,
      segment: 9 as never,
      bytes: 3,
      location: { kind: 'inline', frame: new Uint8Array(3) },
    },
  ])
  const leased: string[] = []
  let turns = 0
  const cut = { bytes: given.logBytes ?? 3, nextTask: 6 }
  const parts = {
    fs,
    version: '1.2.3',
    manifest: { state },
    queue: {
      upkeep: {
        get cut() {
          if (turns++ < busy) return null
          return { ...cut, bodies: turns === 1 ? bodies : laterBodies }
        },
      },
    },
    log: { path: LOG, link: (to: string) => (fs.link(LOG, to) ? to : null) },
    views: {
      lease: (index: number) => {
        const isLate = index === 2 && turns <= busy + late
        leased.push(`lease ${index}`)
        return {
          state: isLate ? null : state.indexes.get(index as never),
          release: () => void leased.push(`release ${index}`),
        }
      },
    },
  }
  return { fs, parts: parts as never, leased, turns: () => turns }
}

const OPTIONS = { sealed: null, compact: false, folder: 'staging' }
const SEALED = { view: { uid: 4 }, payload: new Uint8Array(2) } as never
const text = (fs: Parameters<typeof readFile>[0], path: string): string =>
  Buffer.from(readFile(fs, path, 100)).toString()

describe('a cut', () => {
  it.each([true, false])(
    'has second names or copies of log and bodies (links %s)',
    async (links) => {
      const { fs, parts, leased } = world({ links })
      const cut = await takeConsistentCut(parts, OPTIONS)
      expect(cut.tasks).toEqual([
        { path: LOG, bytes: 3, level: 0, source: 'staging/tasks.log' },
        { path: BODIES[0], bytes: 1, level: 0, source: 'staging/0.body' },
        { path: BODIES[1], bytes: 2, level: 0, source: 'staging/1.body' },
      ])
      expect(text(fs, 'staging/tasks.log')).toBe(links ? 'log and more' : 'log')
      expect(text(fs, 'staging/1.body')).toBe('xx')
      expect(cut.segments.map(({ path, bytes, source }) => [path, bytes, source])).toEqual([
        ['segments/000008.docs', 5, 'segments/000008.docs'],
      ])
      expect([cut.nextTask, leased]).toEqual([6, ['lease 1', 'lease 2']])
      await cut.release()
      expect(fs.list('staging')).toEqual([])
      expect(fs.list('tasks/bodies')).toHaveLength(2)
      expect(leased).toEqual(['lease 1', 'lease 2', 'release 1', 'release 2'])
    },
  )

  it('of a batch leaves bodies in their place, and holds the outcome of the batch', async () => {
    const sizes = async (sealed: typeof SEALED | null) => {
      const { parts } = world()
      const cut = await takeConsistentCut(parts, { ...OPTIONS, sealed })
      const bytes = cut.catalog.reduce((sum, file) => sum + file.bytes, 0)
      return { bytes, sources: cut.tasks.map(({ source }) => source) }
    }
    const [plain, batch] = [await sizes(null), await sizes(SEALED)]
    expect(batch.sources).toEqual(['staging/tasks.log', ...BODIES])
    expect(batch.bytes).toBeGreaterThan(plain.bytes)
  })

  it('compresses logs, bodies and the catalog if it shall be compact', async () => {
    const { parts } = world()
    const cut = await takeConsistentCut(parts, { ...OPTIONS, compact: true })
    expect([...cut.tasks, ...cut.catalog].every(({ level }) => level > 0)).toBe(true)
  })

  it('waits for a change of the queue, and for the views of the last commit', async () => {
    const busy = world({ busy: 3 })
    await takeConsistentCut(busy.parts, OPTIONS)
    expect([busy.turns(), busy.leased]).toEqual([4, ['lease 1', 'lease 2']])
    const late = world({ late: 1 })
    await takeConsistentCut(late.parts, OPTIONS)
    const once = ['lease 1', 'lease 2']
    expect(late.leased).toEqual([...once, 'release 1', 'release 2', ...once])
  })

  it('begins again if a body was removed, unless a batch keeps them', async () => {
    const given = world({ bodies: [1, 99] })
    const cut = takeConsistentCut(given.parts, { ...OPTIONS, sealed: SEALED })
    await expect(cut).rejects.toMatchObject({ code: 'missing' })
    expect(given.leased.filter((one) => one.startsWith('release'))).toHaveLength(2)
  })

  it.each([true, false])('takes the bodies of a later moment then (links %s)', async (links) => {
    const { fs, parts, turns, leased } = world({ links, bodies: [1, 99], laterBodies: [2] })
    const cut = await takeConsistentCut(parts, OPTIONS)
    expect(cut.tasks.map(({ path }) => path)).toEqual([LOG, BODIES[1]])
    expect([...fs.list('staging')].sort()).toEqual(['0.body', 'tasks.log'])
    expect(turns()).toBe(2)
    const once = ['lease 1', 'lease 2']
    expect(leased).toEqual([...once, 'release 1', 'release 2', ...once])
  })

  it('copies a log piece by piece, and fails if it is too short', async () => {
    const bytes = 2 ** 20 + 2
    const long = world({ links: false, logBytes: bytes })
    const content = Buffer.alloc(bytes + 1, 'log of tasks')
    const file = long.fs.open(LOG, 'write')
    file.write(0, content)
    file.close()
    await takeConsistentCut(long.parts, OPTIONS)
    const copy = Buffer.from(readFile(long.fs, 'staging/tasks.log', bytes))
    expect(copy.equals(content.subarray(0, bytes))).toBe(true)
    const short = world({ links: false, logBytes: 13 })
    await expect(takeConsistentCut(short.parts, OPTIONS)).rejects.toMatchObject({
      code: 'short_file',
      path: LOG,
    })
    expect(short.leased).toEqual(['lease 1', 'lease 2', 'release 1', 'release 2'])
  })

  it('fails if there is never a moment for it', async () => {
    const { parts, turns, leased } = world({ busy: Number.POSITIVE_INFINITY })
    await expect(takeConsistentCut(parts, OPTIONS)).rejects.toMatchObject({
      code: 'io',
      message: expect.stringContaining('the task log is changing too fast for a consistent cut'),
    })
    expect([turns(), leased]).toEqual([CUT_TRIES_MAX, []])
  })

  it('removes the files of an earlier one first', async () => {
    const { fs, parts } = world()
    fs.makeDirectory('staging')
    fs.open('staging/7.body', 'create').close()
    await takeConsistentCut(parts, OPTIONS)
    expect([...fs.list('staging')].sort()).toEqual(['0.body', '1.body', 'tasks.log'])
  })
})

it('a start removes the files of cuts of snapshots and of publishing', async () => {
  const { fs } = world()
  await emptyStaging(fs)
  for (const folder of ['staging', 'publishing']) {
    fs.makeDirectory(folder)
    fs.open(`${folder}/x`, 'create').close()
  }
  await emptyStaging(fs)
  expect([fs.list('staging'), fs.list('publishing')]).toEqual([[], []])
})
