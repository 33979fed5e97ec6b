// Sessions of random work on a disk that loses unsynced data, stopped at random steps. After the
// restart every acknowledged task must exist and end, and the documents must be the result of the
// tasks, run in order on an empty database.

import { describe, expect, it } from 'vitest'
import { FIRST_SEED } from '../../fixtures/first-seed.ts'
import { PowerOff } from '../store/storage/fake-failures.ts'
import { FakeDisk, type Random, randomOf } from '../store/storage/index.ts'
import { openTestEngine } from './test-engine.ts'
import { checkWork, randomWork, sendWork, type Work } from './test-work.ts'

/** Sessions in the test run; drills have more. */
const SESSIONS = Number(process.env['SVC_CRASH_SESSIONS'] ?? 20)

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
    await sendWork(engine, work)
    acknowledged.add(work.name)
    const pause = random.below(5)
    if (pause === 0) await engine.idle()
    if (pause === 1) await engine.allMerged()
  }
  await engine.allMerged()
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
  await engine.allMerged()
  await checkWork(engine, works, acknowledged)
  await engine.close()
  const left = disk.mount().list('tasks/bodies')
  expect(left, 'no body outlives its task').toEqual([])
}

/** Returns whether an error comes from the disk, directly or as a consequence. */
const isPowerOff = (error: unknown): boolean =>
  error instanceof PowerOff || (error instanceof Error && error.message.includes('PowerOff'))

describe('a database whose power fails at any moment', () => {
  const sessions = Array.from({ length: SESSIONS }, (_, i) => FIRST_SEED + i)
  it.each(sessions)('keeps its promises (seed %i)', session)
})
