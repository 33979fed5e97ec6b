// kill -9 during snapshots, uploads and imports, a few times each; the long version is
// `node scripts/run.mjs fire snapshots`.
import { expect, it } from 'vitest'
import { killAtSnapshots, MOMENTS } from './snapshot-kill.ts'

const SEED = 11
const KILLS = 2

it.each(MOMENTS)(
  `nothing is lost by kill -9 at the moment: %s (seed ${SEED})`,
  {
    timeout: 120_000,
  },
  async (moment) => {
    let kills = 0
    const onKill = (): void => {
      kills++
    }
    await killAtSnapshots({ seed: SEED, kills: KILLS, moment, thousands: 4, onKill })
    expect(kills).toBe(KILLS)
  },
)
