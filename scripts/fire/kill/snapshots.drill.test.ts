// kill -9 during snapshots, uploads and imports, a few times each; the long version is
// `node scripts/run.mjs fire snapshots`.
import { expect, it } from 'vitest'
import { killAtSnapshots, MOMENTS } from './snapshots.ts'

const SEED = 11
const KILLS = 2

it.each(MOMENTS)(
  `nothing is lost by kill -9 at the moment: %s (seed ${SEED})`,
  {
    timeout: 400_000,
  },
  async (moment) => {
    let kills = 0
    const onKill = (): void => {
      kills++
    }
    await killAtSnapshots(moment, SEED, KILLS, 4, onKill)
    expect(kills).toBe(KILLS)
  },
)
