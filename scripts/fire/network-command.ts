// `fire network`: a network of instances under fire, from the command line. `rebalance` and
// `network-cost` measure one.
import type { Parser, Terminal } from '../../tools/terminal/index.ts'
import { openBar } from './bar.ts'
import { amount, type Given, SEED, seedOf } from './given.ts'
import { type FireReport, networkFire, ROUNDS } from './network.ts'
import { costText, measureNetworkCost } from './network-cost.ts'
import { measureRebalance } from './network-rebalance.ts'
import { percentile, summary } from './summary.ts'
import { TRUST_ROUNDS, type TrustReport, trustFire } from './trust.ts'

const TEN_HOURS = 36_000

export function addNetworkCommand(commands: Parser, terminal: Terminal): Parser {
  return addNetworkCost(addRebalance(commands, terminal), terminal).command(
    'network',
    'Several instances as a network: killed, stopped, cut off, added and removed under load',
    (words) =>
      words
        .option('instances', amount(3, 'How many'))
        .option('replicas', amount(2, 'Owners of each shard'))
        .option('shards', amount(6, 'How many'))
        .option('rounds', amount(20, 'A round is an outage, a change of the network, or both'))
        .option('seconds', amount(TEN_HOURS, 'After this time no round begins'))
        .option('outage', amount(3000, 'The longest outage, in milliseconds'))
        .option('verify', amount(10, 'After so many rounds all documents are compared'))
        .option('only', {
          describe:
            'Kinds of rounds, with commas between: kill -9 and restart, SIGSTOP, a proxy that ' +
            'drops or holds connections, a change of shards or instances, an outage during a ' +
            'change, a change that is canceled. From `snapshot` on, a hostile client is there: ' +
            'a member is cloned (from a snapshot, a copy of its folder, a copy while it is away), ' +
            'another one takes over (from a leader that runs, or is lost), a clock jumps',
          type: 'string',
          default: [...ROUNDS, ...TRUST_ROUNDS].join(','),
          requiresArg: true,
        })
        .option('seed', SEED)
        .example('$0 network --rounds 200 --instances 5', 'the long run')
        .example('$0 network --only kill,stop', 'outages, and no change of the network'),
    (given) => runNetwork(given, seedOf(given, terminal), terminal),
  )
}

const addRebalance = (commands: Parser, terminal: Terminal): Parser =>
  commands.command(
    'rebalance',
    'What it costs that a third instance joins two with many documents, while searches run',
    (words) => words.option('documents', amount(100_000, 'How many')),
    (given) => runRebalance(Number(given['documents']), terminal),
  )

async function runRebalance(documents: number, terminal: Terminal): Promise<void> {
  const report = await measureRebalance(documents)
  const { idle, during, changeMs, cpuMs, idleCpuMs, moved } = report
  const ratio = percentile(during, 0.99) / percentile(idle, 0.99)
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  terminal.out(`${documents} documents, ${moved} of them on the new instance\n`)
  terminal.out(
    `the change took ${seconds(changeMs)} s, and ${seconds(cpuMs - idleCpuMs)} s of CPU\n`,
  )
  terminal.out(`searches at rest:           ${summary(idle, 'ms')}\n`)
  terminal.out(`searches during the change: ${summary(during, 'ms')}\n`)
  terminal.out(`p99 × ${ratio.toFixed(1)}\n`)
}

const addNetworkCost = (commands: Parser, terminal: Terminal): Parser =>
  commands.command(
    'network-cost',
    'The cost of a search over three instances beside the same search on one',
    (words) =>
      words
        .option('documents', amount(25_000, 'How many'))
        .option('searches', amount(3000, 'Of each side, for each number of clients'))
        .option('warmup', amount(6000, 'Searches of each side before'))
        .option('clients', {
          describe: 'Numbers of clients that search at the same time, with commas between',
          type: 'string',
          default: '1,4',
          requiresArg: true,
        })
        .option('seed', amount(1, 'Seed of the documents and queries')),
    (given) => runNetworkCost(given, seedOf(given, terminal), terminal),
  )

const COST_STEPS = ['documents', 'totals', 'warm-up', 'searches']

async function runNetworkCost(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const bar = openBar(terminal, COST_STEPS.length)
  const documents = Number(given['documents'])
  const { rows, totals } = await measureNetworkCost({
    documents,
    searches: Number(given['searches']),
    warmUp: Number(given['warmup']),
    clients: clientsOf(String(given['clients'])),
    seed,
    onStep: (step) => bar(COST_STEPS.indexOf(step), step),
  })
  bar(COST_STEPS.length, '')
  terminal.out(`${documents} documents, ${totals.length} queries with the same totals\n`)
  terminal.out(costText(rows))
}

/** Parses numbers of clients. @throws Error if one is not a whole number */
function clientsOf(list: string): readonly number[] {
  const counts = list.split(',').map(Number)
  if (counts.every((count) => Number.isSafeInteger(count) && count > 0)) return counts
  throw new Error('--clients: whole numbers from 1 on, with commas between')
}

async function runNetwork(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const kinds = kindsOf(String(given['only']))
  const trustKinds = TRUST_ROUNDS.filter((kind) => kinds.includes(kind))
  const plainKinds = ROUNDS.filter((kind) => kinds.includes(kind))
  const rounds = Number(given['rounds'])
  const trustRounds = Math.round((rounds * trustKinds.length) / kinds.length)
  const msMax = Number(given['seconds']) * 1000
  const bar = openBar(terminal, rounds)
  const onRound = (round: number, what: string): void => {
    bar(round - 1, what)
    if (!terminal.isWatched) terminal.err(`round ${round} of ${rounds}: ${what}\n`)
  }
  const begun = performance.now()
  if (trustRounds > 0) {
    const report = await trustFire({ rounds: trustRounds, kinds: trustKinds, seed, msMax, onRound })
    tellTrust(report, terminal)
    if (report.problems.length > 0) process.exitCode = 1
  }
  if (rounds > trustRounds) {
    const report = await networkFire({
      instances: Number(given['instances']),
      replicas: Number(given['replicas']),
      shards: Number(given['shards']),
      kinds: plainKinds,
      rounds: rounds - trustRounds,
      outageMs: Number(given['outage']),
      verifyEvery: Number(given['verify']),
      msMax: msMax - (performance.now() - begun),
      seed,
      onRound: (round, what) => onRound(trustRounds + round, what),
    })
    tell(report, terminal)
    if (report.problems.length > 0) process.exitCode = 1
  }
  bar(rounds, '')
}

/** Parses a list of kinds. @throws Error for an unknown kind */
function kindsOf(list: string): readonly string[] {
  const known: readonly string[] = [...ROUNDS, ...TRUST_ROUNDS]
  const names = [...new Set(list.split(','))]
  if (names.every((name) => known.includes(name))) return names
  throw new Error(`--only: one of ${known.join(', ')}`)
}

function tellTrust({ rounds, networks, counts, problems, root }: TrustReport, terminal: Terminal) {
  const lines = [
    `${rounds} rounds with a hostile client, on ${networks} networks: ${counts.clones} clones, ` +
      `${counts.takeovers} takeovers, ${counts.clocks} jumps of clocks, ${counts.changes} changes`,
    `${counts.hostile} hostile requests, ${counts.permitted} of them within the rights of the key`,
    `${counts.writes} writes acknowledged; ${counts.unconfirmed} were sent again, because no ` +
      `member had confirmed them to a leader that was replaced`,
    `${counts.searches} searches, ${counts.named} answers lacked documents and named an instance`,
    `${counts.early} writes accepted by an old leader at its return, ${counts.repairs} repairs`,
  ]
  terminal.out(`${lines.join('\n')}\n`)
  if (problems.length === 0) {
    terminal.out('nothing was lost, doubled, silently incomplete or leaked\n')
    return
  }
  terminal.out(`${problems.length} PROBLEMS; the databases are in ${root}\n`)
  for (const problem of problems) terminal.out(`  ${problem}\n`)
}

function tell(report: FireReport, terminal: Terminal): void {
  const { counts, outages, problems } = report
  const kinds = Object.entries(outages).map(([kind, count]) => `${count} × ${kind}`)
  const lines = [
    `${report.rounds} rounds: ${kinds.join(', ') || 'no outage'}, ${report.changes} changes ` +
      `of the network, ${report.canceled} of them canceled`,
    `${counts.writes} writes acknowledged, ${counts.canceled} of them canceled, ${report.tasks} tasks, ${report.documents} documents`,
    `${counts.searches} searches, ${counts.searchesInOutages} of them during an outage; ` +
      `${counts.named} answers named an instance that had failed, ` +
      `${counts.refused} had to come again, ${counts.starved} ran out of time as the machine stood still`,
    `until all instances had caught up: ${summary(report.settledMs, 'ms')}`,
  ]
  terminal.out(`${lines.join('\n')}\n`)
  if (problems.length === 0) {
    terminal.out('no document was lost or doubled, no answer was incomplete\n')
    return
  }
  terminal.out(`${problems.length} PROBLEMS; the databases are in ${report.root}\n`)
  for (const problem of problems) terminal.out(`  ${problem}\n`)
}
