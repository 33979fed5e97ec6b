// `follow`: a writer and its followers over an object store in trouble.
import type { Parser, Terminal } from '../../tools/terminal/index.ts'
import { openBar } from './bar.ts'
import { followSession } from './follow.ts'
import { amount, type Given, SEED, seedOf } from './given.ts'
import { summary } from './summary.ts'

export const addFollowCommand = (commands: Parser, terminal: Terminal): Parser =>
  commands.command(
    'follow',
    'Followers of an object store that fails, hangs and restarts; kill -9 of writer and followers',
    (words) =>
      words
        .option('rounds', amount(50, 'How many rounds of writes and things that go wrong'))
        .option('promote-every', amount(10, 'Rounds until the writer is lost for good'))
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
      bar(report.round, report.events.join(', '))
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
