// The long runs that resemble real use: heavy load, and a whole day.
import { writeFileSync } from 'node:fs'
import { bytesText, type Parser, type Terminal } from '../../tools/terminal/index.ts'
import { openBar } from './bar.ts'
import { amount, type Given, SEED, seedOf } from './given.ts'
import { load } from './load.ts'
import { loadProblems, loadText } from './load-report.ts'
import { soak } from './soak.ts'
import { soakSvg } from './soak-plot.ts'
import { growth } from './soak-samples.ts'
import { summary } from './summary.ts'

const HOURS = 24

export function addLoadCommands(commands: Parser, terminal: Terminal): Parser {
  return commands
    .command(
      'load',
      'Many connections with mixed requests, rough clients among them, and a full queue',
      (words) =>
        words
          .option('connections', amount(200, 'Number of connections'))
          .option('requests', amount(1000, 'Requests of each connection'))
          .option('rough', amount(10, 'Rough clients of each kind'))
          .option('queued', amount(10_000, 'Additional tasks that wait at the same time'))
          .option('seed', SEED),
      (given) => runLoad(given, seedOf(given, terminal), terminal),
    )
    .command(
      'soak',
      'A day in some minutes: mixed load, restarts, kills, snapshots, webhooks that fail',
      (words) =>
        words
          .option('seconds', amount(300, 'Duration of the day'))
          .option('steady', {
            describe: 'The same load all the time, without restarts; an hour shows growth',
            type: 'boolean',
            default: false,
          })
          .option('plot', {
            describe: 'Draws the day (SVG)',
            type: 'string',
            default: 'soak.svg',
            requiresArg: true,
          })
          .option('seed', SEED),
      (given) => runSoak(given, seedOf(given, terminal), terminal),
    )
}

async function runLoad(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const connections = Number(given['connections'])
  const requests = Number(given['requests'])
  const bar = openBar(terminal, connections * requests)
  const report = await load({
    connections,
    requests,
    rough: Number(given['rough']),
    queued: Number(given['queued']),
    seed,
    onRequests: (done) => bar(done, 'requests'),
  })
  bar(connections * requests, '')
  terminal.out(loadText(report))
  if (loadProblems(report).length > 0) process.exitCode = 1
}

async function runSoak(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const bar = openBar(terminal, HOURS)
  const seconds = Number(given['seconds'])
  const report = await soak({ seconds, seed, isSteady: given['steady'] === true, onHour: bar })
  bar(HOURS, '')
  const file = String(given['plot'])
  writeFileSync(file, soakSvg(report, `A day in ${seconds} seconds, seed ${seed}`))
  const { searches, writes, notifiedTasks, samples, heap, problems } = report
  const all = (part: 'searches' | 'health'): readonly number[] =>
    samples.flatMap((sample) => sample[part])
  terminal.out(
    `${searches} requests, ${writes} writes, ${notifiedTasks} tasks reported to the webhook\n`,
  )
  terminal.out(`searches:    ${summary(all('searches'), 'ms')}\n`)
  terminal.out(`GET /health: ${summary(all('health'), 'ms')}\n`)
  terminal.out(`heap:        ${heap.map(bytesText).join(' in the morning, ')} at the end\n`)
  terminal.out(`picture:     ${file}\n`)
  for (const problem of [...problems, ...growth(report)]) {
    terminal.out(`PROBLEM ${problem}\n`)
    process.exitCode = 1
  }
}
