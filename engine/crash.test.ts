// Sessions of random work on a disk that loses what was not synced, cut short at random steps. What
// must hold: every acknowledged task is there after the restart and ends, and the documents are
// those that the tasks, run in order, make of nothing.
import { describe, expect, it } from 'vitest'
import { FakeDisk, PowerOff, type Random, randomOf } from './storage/index.ts'
import type { TaskContent } from './tasks/index.ts'
import {
  addDocuments,
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'

/** Sessions in the test run; the long version sets more. */
const SESSIONS = Number(process.env['SVC_CRASH_SESSIONS'] ?? 150)
const FIRST_SEED = Number(process.env['SVC_CRASH_SEED'] ?? 1)

type Doc = { readonly id: number; readonly [field: string]: unknown }

/** Something a client asks for. `name` comes back as the task's metadata. */
type Work = { readonly name: string } & (
  | {
      readonly kind: 'import'
      readonly method: 'replace' | 'update'
      readonly docs: readonly Doc[]
    }
  | { readonly kind: 'delete'; readonly ids: readonly number[] }
  | { readonly kind: 'clear' }
  | { readonly kind: 'settings'; readonly patch: object }
)

const WORDS = ['harbour', 'mountain', 'quiet', 'song', 'light', 'winter', 'paper', 'stone']
const PATCHES = [
  { filterableAttributes: ['n'] },
  { filterableAttributes: ['n', 'text'], sortableAttributes: ['n'] },
  { searchableAttributes: ['text'] },
  { searchableAttributes: ['*'], stopWords: ['quiet'] },
  { stopWords: [], filterableAttributes: ['text'] },
]

function randomWork(random: Random, name: string): Work {
  const kind = random.below(20)
  if (kind === 0) return { name, kind: 'clear' }
  if (kind <= 3) return { name, kind: 'settings', patch: PATCHES[random.below(PATCHES.length)]! }
  if (kind <= 6) {
    const ids = Array.from({ length: 1 + random.below(5) }, () => random.below(40))
    return { name, kind: 'delete', ids }
  }
  const docs = Array.from({ length: 1 + random.below(12) }, () => randomDoc(random))
  return { name, kind: 'import', method: random.below(2) === 0 ? 'replace' : 'update', docs }
}

function randomDoc(random: Random): Doc {
  const words = Array.from({ length: random.below(6) }, () => WORDS[random.below(WORDS.length)])
  const doc: { [field: string]: unknown } = {}
  if (random.below(3) > 0) doc['text'] = words.join(' ')
  if (random.below(3) > 0) doc['n'] = random.below(10)
  // Now and then something that needs a file of its own.
  if (random.below(12) === 0) doc['long'] = `${'filler '.repeat(4000)}${random.below(1000)}`
  return { id: random.below(40), ...doc }
}

const settingsContent = (patch: object): TaskContent => ({
  kind: 'settingsUpdate',
  patch: patch as never,
  isDeletion: false,
  allowIndexCreation: true,
})

function send(engine: TestEngine, work: Work): Promise<unknown> {
  const { name } = work
  switch (work.kind) {
    case 'import':
      return addDocuments(engine, 'a', work.docs, { method: work.method, metadata: name })
    case 'delete': {
      const ids = work.ids.map(String)
      return enqueue(engine, 'a', { kind: 'documentDeletion', by: 'ids', ids }, name)
    }
    case 'clear':
      return enqueue(engine, 'a', { kind: 'documentDeletion', by: 'all' }, name)
    case 'settings':
      return enqueue(engine, 'a', settingsContent(work.patch), name)
  }
}

/** What the tasks of these names make of nothing. */
function model(works: ReadonlyMap<string, Work>, names: readonly string[]): Map<number, Doc> {
  const docs = new Map<number, Doc>()
  for (const name of names) {
    const work = works.get(name)!
    if (work.kind === 'clear') docs.clear()
    if (work.kind === 'delete') for (const id of work.ids) docs.delete(id)
    if (work.kind !== 'import') continue
    for (const doc of work.docs) {
      const old = work.method === 'update' ? docs.get(doc.id) : undefined
      docs.set(doc.id, { ...old, ...doc })
    }
  }
  return docs
}

async function check(
  engine: TestEngine,
  works: ReadonlyMap<string, Work>,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const tasks = await allTasks(engine)
  const names = tasks.map(({ customMetadata }) => customMetadata ?? '')
  for (const name of acknowledged) expect(names).toContain(name)
  const ended = ['succeeded', 'failed']
  for (const task of tasks) expect(ended, JSON.stringify(task)).toContain(task.status)
  const succeeded = names.filter((_, i) => tasks[i]!.status === 'succeeded')
  const expected = model(works, succeeded)
  if (engine.listIndexes(null).length === 0) {
    expect(expected.size).toBe(0)
    return
  }
  const found = new Map((await documentsOf(engine, 'a')).map((doc) => [(doc as Doc).id, doc]))
  expect(byId(found)).toEqual(byId(expected))
  const searchable = engine.settings('a')['searchableAttributes'] as string[]
  const stops = engine.settings('a')['stopWords'] as string[]
  for (const word of WORDS) {
    if (stops.includes(word)) continue
    const held = [...expected.values()].filter(({ text }) => `${text ?? ''}`.includes(word))
    const answer = await searchFor(engine, 'a', { q: `"${word}"` })
    expect(answer.estimatedTotalHits, `${word} in ${searchable}`).toBe(held.length)
  }
  const filterable = engine.settings('a')['filterableAttributes'] as string[]
  if (!filterable.includes('n')) return
  for (let n = 0; n < 10; n++) {
    const held = [...expected.values()].filter((doc) => doc['n'] === n)
    const answer = await searchFor(engine, 'a', { filter: `n = ${n}` })
    expect(answer.estimatedTotalHits).toBe(held.length)
  }
}

const byId = (docs: ReadonlyMap<number, object>) =>
  [...docs].sort(([a], [b]) => a - b).map(([, doc]) => doc)

/** Works until the power fails; adds to `works` and `acknowledged` on the way. */
async function live(
  disk: FakeDisk,
  random: Random,
  works: Map<string, Work>,
  acknowledged: Set<string>,
): Promise<void> {
  const engine = await openTestEngine(disk.mount())
  const amount = 3 + random.below(12)
  for (let i = 0; i < amount; i++) {
    const work = randomWork(random, `w${works.size}`)
    works.set(work.name, work)
    await send(engine, work)
    acknowledged.add(work.name)
    const pause = random.below(5)
    if (pause === 0) await engine.idle()
    if (pause === 1) await engine.settle()
  }
  await engine.settle()
  if (random.below(3) === 0) await engine.close()
}

async function session(seed: number): Promise<void> {
  const random = randomOf(seed)
  const disk = new FakeDisk(seed)
  const works = new Map<string, Work>()
  const acknowledged = new Set<string>()
  for (let life = 0; life < 4; life++) {
    if (random.below(4) > 0) disk.powerOffAfter(random.below(160))
    try {
      await live(disk, random, works, acknowledged)
    } catch (error) {
      if (!disk.powerIsOff) throw error
      expect(isPowerOff(error), String(error)).toBe(true)
    }
    if (random.below(4) === 0 && !disk.powerIsOff) disk.kill()
    else disk.crash(random.below(1 << 30))
  }
  const engine = await openTestEngine(disk.mount())
  await engine.settle()
  await check(engine, works, acknowledged)
  await engine.close()
  const left = disk.mount().list('tasks/bodies')
  expect(left, 'no body outlives its task').toEqual([])
}

/** Promises of the engine reject with what the disk threw, or with what that led to. */
const isPowerOff = (error: unknown): boolean =>
  error instanceof PowerOff || (error instanceof Error && error.message.includes('PowerOff'))

describe('a database whose power fails at any moment', () => {
  const sessions = Array.from({ length: SESSIONS }, (_, i) => FIRST_SEED + i)
  it.each(sessions)('keeps what it has promised (seed %i)', session)
})
