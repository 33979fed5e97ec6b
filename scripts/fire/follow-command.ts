// `follow`: a writer and its followers over an object store in trouble. `followers`: measures them.
import { bytesText, type Parser, type Terminal } from '../../tools/terminal/index.ts'
import { openBar } from './bar.ts'
import { followSession } from './follow.ts'
import { measureFollowers, type StartMeasure } from './follow-measure.ts'
import { amount, type Given, SEED, seedOf } from './given.ts'
import { summary } from './summary.ts'

export const addFollowCommand = (commands: Parser, terminal: Terminal): Parser =>
  commands
    .command(
      'followers',
      'How far behind followers are, how soon they serve, and what an idle publisher costs',
      (words) =>
        words
          .option('documents', amount(25_000, 'Documents of the database'))
          .option('interval', amount(1, 'Seconds between published states'))
          .option('changes', amount(20, 'Number of changes to measure'))
          .option('seed', SEED),
      (given) => runFollowers(given, seedOf(given, terminal), terminal),
    )
    .command(
      'follow',
      'Followers of a store that fails, hangs and restarts; kill -9 of writer and followers',
      (words) =>
        words
          .option('rounds', amount(50, 'Rounds of writes and disturbances'))
          .option('promote-every', amount(10, 'Rounds until the writer is lost for good'))
          .option('lines', { describe: 'A line for each round', type: 'boolean', default: false })
          .option('seed', SEED),
      (given) => runFollow(given, seedOf(given, terminal), terminal),
    )

async function runFollow(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const rounds = Number(given['rounds'])
  const bar = openBar(terminal, rounds)
  const lags: number[] = []
  const counts = new Map<string, number>()
  let [acknowledged, reads, late] = [0, 0, 0]
  await followSession({
    seed,
    rounds,
    promoteEvery: Number(given['promote-every']),
    onRound: (report) => {
      const events = report.events.join(', ')
      bar(report.round, events)
      if (given['lines'] === true) {
        const behind = report.lagsMs.map((ms) => `${Math.round(ms)} ms`).join(', ')
        terminal.out(`${report.round}: ${events}; behind ${behind}\n`)
      }
      lags.push(...report.lagsMs)
      for (const event of report.events) {
        const kind = event.replace(/^instance-\d+/, 'follower').replace(/, 1 request of \d+$/, '')
        counts.set(kind, (counts.get(kind) ?? 0) + 1)
      }
      acknowledged = report.acknowledged
      reads = report.reads
      late = report.late
    },
  })
  bar(rounds, '')
  terminal.out(`${rounds} rounds: every acknowledged document is on every follower\n`)
  for (const [kind, count] of [...counts].sort()) {
    terminal.out(`${String(count).padStart(6)} ${kind}\n`)
  }
  terminal.out(`${acknowledged} requests acknowledged, ${reads} reads of followers, none failed, `)
  terminal.out(`${late} were given up as the machine was busy\n`)
  terminal.out(`behind after a round, interval and poll of 1 s each: ${summary(lags, 'ms')}\n`)
}

const STEPS = ['documents', 'starts', 'changes', 'rest']

async function runFollowers(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const intervalS = Number(given['interval'])
  const bar = openBar(terminal, STEPS.length)
  const measured = await measureFollowers({
    seed,
    documents: Number(given['documents']),
    intervalS,
    changes: Number(given['changes']),
    onStep: (what) => bar(STEPS.indexOf(what), what),
  })
  bar(STEPS.length, '')
  const { documents, indexingPerS, before, lazily, restartMs, lagsMs } = measured
  terminal.out(`${documents} documents, ${Math.round(indexingPerS)} a second\n`)
  terminal.out(`first search, everything downloaded before: ${startText(before)}\n`)
  terminal.out(`first search of a small index, lazily:      ${startText(lazily)}\n`)
  terminal.out(`first search after a restart:               ${Math.round(restartMs)} ms\n`)
  terminal.out(`behind, interval ${intervalS} s and poll 1 s: ${summary(lagsMs, 'ms')}\n`)
  const { requestsPerChange, bytesPerChange, idleRequests, idleCpuShare } = measured
  const sent = `${requestsPerChange.toFixed(1)} requests, ${bytesText(bytesPerChange)}`
  terminal.out(`sent to the store for a change, leases included: ${sent}\n`)
  terminal.out(`an idle publisher: ${idleRequests} requests, `)
  terminal.out(`${(100 * idleCpuShare).toFixed(1)} % of a processor\n`)
}

const startText = ({ firstSearchMs, downloadMs, bytes }: StartMeasure): string =>
  `${Math.round(firstSearchMs)} ms, of that ${downloadMs} ms for ${bytesText(bytes)} of files`
