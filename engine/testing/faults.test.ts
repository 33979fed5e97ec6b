// Sessions of random work on a disk that is full at times, fails to sync, writes half or opens
// nothing. No client must receive a false success, no acknowledged task must fail or be lost, and
// work must continue once the disk works again.

import { describe, expect, it } from 'vitest'
import { FIRST_SEED } from '../../fixtures/first-seed.ts'
import { StorageError } from '../model/index.ts'
import type { Fault } from '../store/storage/fake-failures.ts'
import { FakeDisk, type Random, randomOf } from '../store/storage/index.ts'
import { allTasks, openTestEngine, type TestEngine } from './test-engine.ts'
import { checkWork, randomWork, sendWork, type Work } from './test-work.ts'

/** Sessions in the test run; drills have more. */
const SESSIONS = Number(process.env['SVC_FAULT_SESSIONS'] ?? 20)

const FAULTS: readonly Fault[] = [
  { on: 'write', errno: 'ENOSPC' },
  { on: 'write', errno: 'ENOSPC', part: 100 },
  { on: 'write', errno: 'EIO', part: 5000 },
  { on: 'sync', errno: 'EIO' },
  { on: 'sync', errno: 'EIO', ruins: true },
  { on: 'sync', errno: 'ENOSPC' },
  { on: 'sync-folder', errno: 'EIO' },
  { on: 'open', errno: 'EMFILE' },
  { on: 'truncate', errno: 'EIO' },
  { on: 'rename', errno: 'EIO' },
  { on: 'remove', errno: 'EACCES' },
  { on: 'map', errno: 'EIO' },
  { on: 'read', errno: 'EIO' },
]
const PLACES = ['', 'segments/', 'manifest', 'tasks/tasks', 'tasks/bodies', 'CURRENT', 'CLOSED']
/** The only error that tasks may have here: the disk fails none. */
const CODES = ['index_not_found']

function randomFault(random: Random): Fault {
  const fault = FAULTS[random.below(FAULTS.length)]!
  const path = PLACES[random.below(PLACES.length)]!
  return { ...fault, path, after: random.below(6), times: 1 + random.below(3) }
}

/** Counts of the observed effects, all sessions together. */
const observed = { refusedWork: 0, waits: 0, refusedStarts: 0, reports: 0 }

type Session = {
  readonly disk: FakeDisk
  readonly random: Random
  readonly works: Map<string, Work>
  readonly acknowledged: Set<string>
}

/** Sends some work; the only allowed errors are failures of the disk. */
async function work(engine: TestEngine, session: Session, amount: number): Promise<void> {
  const { disk, random, works, acknowledged } = session
  for (let i = 0; i < amount; i++) {
    if (random.below(2) === 0) disk.fail(randomFault(random))
    if (random.below(6) === 0) disk.capacity = disk.usedBytes + random.below(20_000)
    if (random.below(3) === 0) disk.capacity = Number.POSITIVE_INFINITY
    const next = randomWork(random, `w${works.size}`)
    works.set(next.name, next)
    try {
      await sendWork(engine, next)
      acknowledged.add(next.name)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      observed.refusedWork++
    }
  }
}

async function open(session: Session): Promise<TestEngine> {
  // A failing disk may prevent the start: it must say so, and the next attempt must work.
  const { disk, random } = session
  for (;;) {
    const faults = random.below(3)
    for (let i = 0; i < faults; i++) disk.fail(randomFault(random))
    try {
      return await openTestEngine(disk.mount(), {
        retryPauseMs: 1,
        report: () => {
          observed.reports++
        },
        note: (message) => {
          if (message.startsWith('Tasks wait')) observed.waits++
        },
      })
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      expect(error.code).not.toBe('corrupt')
      observed.refusedStarts++
      disk.kill()
    }
  }
}

async function run(seed: number): Promise<void> {
  const random = randomOf(seed)
  const disk = new FakeDisk(seed)
  const session = { disk, random, works: new Map(), acknowledged: new Set<string>() }
  for (let life = 0; life < 3; life++) {
    const engine = await open(session)
    await work(engine, session, 4 + random.below(10))
    disk.heal()
    disk.capacity = Number.POSITIVE_INFINITY
    // The disk works again: waiting tasks continue, and new work is accepted.
    const probe = { name: `probe ${life}`, kind: 'import', method: 'replace', docs: [] } as const
    const docs = [{ id: life, _vectors: { e: null } }]
    session.works.set(probe.name, { ...probe, docs })
    await sendWork(engine, { ...probe, docs })
    await engine.allMerged()
    const tasks = await allTasks(engine)
    expect(tasks.find((task) => task.customMetadata === probe.name)?.status).toBe('succeeded')
    for (const { error } of tasks) {
      if (error !== null) expect(CODES).toContain(error.code)
    }
    await checkWork(engine, session.works, session.acknowledged)
    const end = random.below(3)
    if (end === 0) await engine.close()
    else if (end === 1) disk.kill()
    else disk.crash(random.below(1 << 30))
  }
  const engine = await open(session)
  disk.heal()
  await engine.allMerged()
  await checkWork(engine, session.works, session.acknowledged)
  await engine.close()
}

describe('a disk that fails now and then', () => {
  const sessions = Array.from({ length: SESSIONS }, (_, i) => FIRST_SEED + i)
  it.each(sessions)('fails the affected work and nothing else (seed %i)', run)

  it('caused every kind of failure', () => {
    for (const count of Object.values(observed))
      expect(count, JSON.stringify(observed)).toBeGreaterThan(0)
  })
})
