// The entry point of the drills: the built server under fire. Tests run short versions of them.
import { type Parser, PROCESS_TERMINAL } from '../../tools/terminal/index.ts'
import { endWith, runCommandLine } from '../command-line.ts'
import { damageRun } from './damage/damage.ts'
import { ALL_KINDS, failover } from './followers/failover.ts'
import { follow } from './followers/follow.ts'
import { HELPER_WORD, helperMain } from './hostile/measure.ts'
import { hostile } from './hostile/session.ts'
import { killDumps } from './kill/dumps.ts'
import { killRuns } from './kill/kill.ts'
import { snapshotKills } from './kill/snapshots.ts'
import { load } from './load/load.ts'
import { soak } from './load/soak.ts'
import { ALL_ROUNDS, networkRun } from './network/network.ts'
import { drill } from './parts/report.ts'
import { MODES, simulate } from './simulate/simulate.ts'
import { VISIBLE_KINDS, visible } from './visible/visible.ts'

const FAILED = 1

const DRILLS = [
  drill(
    'kill',
    'kill -9 at random moments of writing, merging, settings changes and embedding',
    { runs: [200, 'Number of kills'] },
    killRuns,
  ),
  drill(
    'dumps',
    'kill -9 while dumps are made, and while they are imported',
    { runs: [20, 'Kills of each kind'], documents: [20_000, 'Documents of the database'] },
    killDumps,
  ),
  drill(
    'snapshots',
    'kill -9 while a snapshot is made, uploaded or imported',
    { runs: [20, 'Kills at each of these moments'], thousands: [20, 'Thousands of documents'] },
    snapshotKills,
  ),
  drill(
    'damage',
    'One file of a database damaged: bits, lengths, sectors',
    { cases: [2000, 'Number of cases'] },
    damageRun,
  ),
  drill(
    'load',
    'Many connections with mixed requests, rough clients among them, and a full queue',
    {
      connections: [200, 'Number of connections'],
      requests: [1000, 'Requests of each connection'],
      rough: [10, 'Rough clients of each kind'],
      queued: [10_000, 'Additional tasks that wait at the same time'],
    },
    load,
  ),
  drill(
    'soak',
    'A day in some minutes: mixed load, restarts, kills, snapshots, webhooks that fail',
    {
      seconds: [300, 'Duration of the day'],
      steady: [false, 'The same load all the time, without restarts; an hour shows growth'],
    },
    soak,
  ),
  drill(
    'hostile',
    'Requests that are made to freeze, bloat or kill the server, while others are timed',
    {
      seconds: [10, 'Seconds of each attack'],
      minutes: [2, 'Duration of the mixed run; 0 leaves it out'],
      documents: [20_000, 'Documents of the database'],
      only: ['', 'Names of attacks, with commas between; all by default'],
    },
    hostile,
  ),
  drill(
    'network',
    'Several instances as a network: killed, cut off, changed, cloned, with a hostile client',
    {
      rounds: [20, 'A round is an outage, a change of the network, or both'],
      instances: [3, 'How many'],
      only: [ALL_ROUNDS.join(','), 'Kinds of rounds, with commas between'],
    },
    networkRun,
  ),
  drill(
    'simulate',
    'Several instances in one process, on a simulated clock, network and disks; replays by seed',
    {
      seeds: [200, 'Number of seeds, from --seed on'],
      hours: [0, 'Hours of seeds instead of a number of them'],
      instances: [3, 'How many'],
      rounds: [1, 'Rounds of faults of each seed; all is checked after each'],
      mode: [MODES.join(','), 'A network, or a writer and its followers; in turn'],
      trace: [false, 'Prints everything that happens'],
    },
    simulate,
  ),
  drill(
    'follow',
    'Followers of a store that fails, hangs and restarts; kill -9 of writer and followers',
    { rounds: [50, 'Rounds of writes and disturbances'] },
    follow,
  ),
  drill(
    'failover',
    'Standby followers take over from a writer that is killed, stopped or cut off',
    {
      kills: [50, 'Rounds: kills, and other disturbances'],
      only: [ALL_KINDS.join(','), 'Kinds of disturbances, with commas between'],
    },
    failover,
  ),
  drill(
    'visible',
    'Clients that search for what they have just written, on any instance, while some are killed',
    {
      pairs: [10_000, 'Writes, each with a search, of each kind'],
      clients: [16, 'Clients at the same time'],
      only: [VISIBLE_KINDS.join(','), 'Kinds of installations, with commas between'],
      kill: [3000, 'Milliseconds between kills; 0 kills nothing'],
    },
    visible,
  ),
]

async function main(): Promise<void> {
  if (process.argv[2] === HELPER_WORD) return helperMain()
  await runCommandLine('fire', (words: Parser) =>
    DRILLS.reduce((parser, add) => add(parser, PROCESS_TERMINAL), words)
      .usage('$0 <command>\n\nThe built server under fire. Exit code 0: it held, 1: it did not.')
      .demandCommand(1, 'say what to do')
      .example('$0 kill --runs 200', 'the long version of what the tests do'),
  )
}

main().catch((error: unknown) => endWith(FAILED, error))
