// `failover`: a writer and its standby followers under fire, from the command line.
import type { Parser, Terminal } from '../../tools/terminal/index.ts'
import { openBar } from './bar.ts'
import { type FailoverRound, failoverSession } from './failover.ts'
import { ALL_KINDS, type Disturbance } from './failover-disturbances.ts'
import { amount, type Given, SEED, seedOf } from './given.ts'
import { summary } from './summary.ts'

/** Rounds of one session; the next one begins with an empty store. */
const SESSION_ROUNDS = 10

export const addFailoverCommand = (commands: Parser, terminal: Terminal): Parser =>
  commands.command(
    'failover',
    'Standby followers take over from a writer that is killed, stopped or cut off',
    (words) =>
      words
        .option('kills', amount(50, 'Rounds: kills, and other disturbances'))
        .option('only', {
          describe: 'Kinds of disturbances, with commas between',
          type: 'string',
          default: ALL_KINDS.join(','),
          requiresArg: true,
        })
        .option('mode', {
          describe: 'The value of --objstore-publish; by default the seed decides',
          choices: ['sync', 'interval'],
        })
        .option('lines', { describe: 'A line for each round', type: 'boolean', default: false })
        .option('seed', SEED)
        .example('$0 failover --kills 10 --seed 7', 'one session again, by the seed of a fault'),
    (given) => runFailover(given, seedOf(given, terminal), terminal),
  )

async function runFailover(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const kills = Number(given['kills'])
  const kinds = kindsOf(String(given['only']))
  const mode = given['mode'] as 'sync' | 'interval' | undefined
  const bar = openBar(terminal, kills)
  const done: FailoverRound[] = []
  const faults: string[] = []
  let [acknowledged, saved] = [0, 0]
  for (let i = 0; i * SESSION_ROUNDS < kills; i++) {
    const report = await failoverSession({
      seed: seed + i,
      rounds: Math.min(SESSION_ROUNDS, kills - i * SESSION_ROUNDS),
      kinds,
      ...(mode === undefined ? {} : { mode }),
      onRound: (round) => {
        done.push(round)
        bar(done.length, round.events.join(', '))
        if (given['lines'] === true) terminal.out(lineOf(round, seed + i))
      },
    })
    acknowledged += report.acknowledged
    saved += report.saved
    faults.push(...report.faults)
    for (const fault of report.faults) terminal.err(`${fault}\n`)
  }
  bar(kills, '')
  tell(done, terminal)
  terminal.out(`${acknowledged} writes acknowledged, ${saved} of them lost and saved (interval)\n`)
  terminal.out(faults.length === 0 ? 'no fault\n' : `${faults.length} FAULTS\n`)
  for (const fault of faults) terminal.out(`  ${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}

/** Parses a list of kinds. @throws Error for an unknown kind */
function kindsOf(list: string): readonly Disturbance[] {
  const names = list.split(',')
  const kinds = ALL_KINDS.filter((kind) => names.includes(kind))
  if (kinds.length !== names.length) throw new Error(`--only: one of ${ALL_KINDS.join(', ')}`)
  return kinds
}

const lineOf = (round: FailoverRound, seed: number): string => {
  const { events, mode, leaseMs, takeOverMs, isTakenOver, waitedMs } = round
  const who = isTakenOver ? 'another writer' : 'no other writer'
  const words = `${seed} ${mode} ${leaseMs}: ${events.join(', ')}`
  return `${words}; ${who}, written after ${Math.round(takeOverMs)} ms (processors busy ${Math.round(waitedMs)} ms)\n`
}

function tell(done: readonly FailoverRound[], terminal: Terminal): void {
  const intervals = done.filter(({ mode }) => mode === 'interval').length
  terminal.out(`${done.length} rounds, ${intervals} of them with interval\n`)
  for (const kind of ALL_KINDS) {
    const same = done.filter((one) => one.kind === kind)
    if (same.length === 0) continue
    const taken = same.filter(({ isTakenOver }) => isTakenOver).length
    const times = same.map(({ takeOverMs }) => takeOverMs)
    const count = `${String(same.length).padStart(6)} ${kind.padEnd(10)}`
    terminal.out(`${count} ${taken} × another writer, written after: ${summary(times, 'ms')}\n`)
  }
  const shares = done
    .filter(({ kind, isTakenOver }) => isTakenOver && ['kill', 'freeze', 'cut'].includes(kind))
    .map(({ takeOverMs, leaseMs }) => takeOverMs / leaseMs)
  const inTime = shares.filter((share) => share <= 2).length
  terminal.out(`take-overs from a silent writer: ${summary(shares, 'leases')}, `)
  terminal.out(`${inTime} within two leases\n`)
}
