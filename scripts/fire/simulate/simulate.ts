// Simulations of several instances, one seed after another. A seed decides the mode's variant, the
// faults and everything else, so the same seed has the same trace.
import type { Counts } from '../network/ledger.ts'
import { chosen, type Report, type Run } from '../parts/report.ts'
import { EARLIER_FAULTS } from './earlier-faults.table.ts'
import { FAULTS } from './faults.ts'
import { STANDBY_FAULTS } from './follow-session.ts'
import { simulatedFollowers } from './followers.ts'
import type { Tamper } from './instance.ts'
import { simulatedNetwork } from './network.ts'
import { readStandbyConfigs } from './standby.ts'
import { World } from './world.ts'

export const MODES = ['network', 'followers'] as const
export type Mode = (typeof MODES)[number]

export type Scenario = {
  readonly seed: number
  readonly mode: Mode
  readonly instances: number
  readonly rounds: number
  readonly isCalm?: boolean
  /** Receives each line of the trace. */
  readonly watch?: (line: string) => void
  readonly tamper?: Tamper
}

export type Outcome = {
  /** The hash of everything that happened. */
  readonly trace: string
  readonly simulatedMs: number
  readonly lines: number
  readonly counts: Counts
  /** The violated expectations, with what happened before the first of them. */
  readonly problems: readonly string[]
}

/** Runs one seed. */
export async function simulateSeed(scenario: Scenario): Promise<Outcome> {
  const { seed, mode, instances, rounds, isCalm = false, watch = null, tamper = {} } = scenario
  // Half of the seeds change the network, or have a lease of the writer.
  const isSecond = seed % 2 === 1
  const configs = await readStandbyConfigs()
  const counts: Counts = {}
  const work = (world: World): Promise<void> => {
    world.tamper = tamper
    const size = { instances, rounds, counts }
    if (mode === 'network') {
      world.isForgetful = seed % 3 === 2
      const plan = { ...size, faults: isCalm ? [] : FAULTS, changes: isSecond }
      return simulatedNetwork(world, plan)
    }
    const plan = { ...size, faults: isCalm ? [] : STANDBY_FAULTS, hasLease: isSecond }
    return simulatedFollowers(world, configs, plan)
  }
  const world = await World.run(seed, work, watch)
  const { trace, clock, problems } = world
  return {
    trace: trace.digest(),
    simulatedMs: clock.now,
    lines: trace.lines,
    counts,
    problems:
      problems.length === 0 ? [] : [...problems, `after:\n    ${trace.last.join('\n    ')}`],
  }
}

export type SimulateOptions = {
  readonly seeds: number
  readonly hours: number
  readonly instances: number
  readonly rounds: number
  readonly mode: string
  readonly trace: boolean
}

/** The seeds of a run, the modes in turn; if it runs by hours, those of earlier faults first. */
function* seedsOf(
  modes: readonly Mode[],
  { seed: first, hours }: SimulateOptions & Run,
): Generator<readonly [Mode, number]> {
  for (const [, mode, seed] of hours > 0 ? EARLIER_FAULTS : []) {
    if (modes.includes(mode)) yield [mode, seed]
  }
  for (let seed = first; ; seed++) for (const mode of modes) yield [mode, seed]
}

/** `simulate`: seeds until one has a problem; `hours` of real time instead of a number if not 0. */
export async function simulate(given: SimulateOptions & Run): Promise<Report> {
  const { seeds, hours, instances, rounds, progress, trace } = given
  const modes = chosen(given.mode, MODES)
  const begun = performance.now()
  const isOver = (done: number): boolean =>
    hours > 0 ? performance.now() - begun > hours * 3_600_000 : done >= seeds
  const counts: Counts = {}
  const problems: string[] = []
  let [done, simulatedMs, last] = [0, 0, '']
  for (const [mode, seed] of seedsOf(modes, given)) {
    if (isOver(done) || problems.length > 0) break
    progress?.(done, hours > 0 ? done + 1 : seeds, `seed ${seed}, ${mode}`)
    const watch = trace ? { watch: (line: string) => process.stdout.write(`${line}\n`) } : {}
    const outcome = await simulateSeed({ seed, mode, instances, rounds, ...watch })
    for (const [name, count] of Object.entries(outcome.counts)) {
      counts[name] = (counts[name] ?? 0) + count
    }
    done++
    simulatedMs += outcome.simulatedMs
    last = outcome.trace
    if (outcome.problems.length > 0) {
      const size = `--instances ${instances} --rounds ${rounds}`
      const again = `--mode ${mode} --seed ${seed} --seeds 1 ${size} --trace`
      problems.push(`seed ${seed}: npm run fire -- simulate ${again}`, ...outcome.problems)
    }
  }
  const hoursOf = (ms: number): string => (ms / 3_600_000).toFixed(2)
  const figures = { seeds: done, 'simulated hours': hoursOf(simulatedMs), 'last trace': last }
  return { figures: { ...figures, ...counts }, problems }
}
