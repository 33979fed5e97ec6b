// The long versions of the tests under fire, as commands. Each prints its seed first and its
// figures last; a bar shows how far it is.
import type { Parser, Terminal, YargsOption } from '../terminal/index.ts'
import { makeDatabase } from '../test-support.ts'
import { openBar } from './bar.ts'
import { damageCases } from './damage.ts'
import { killSession } from './kill.ts'
import { summary } from './summary.ts'

const PROBLEM_CHARACTERS_MAX = 1000
const KILLS_PER_DATABASE = 4

const amount = (count: number, describe: string): YargsOption => ({
  describe,
  type: 'number',
  default: count,
  requiresArg: true,
})
const SEED: YargsOption = {
  describe: 'What chance is drawn from; another one each time when it is not given',
  type: 'number',
  requiresArg: true,
}

type Given = { readonly [name: string]: unknown }

function seedOf(given: Given, terminal: Terminal): number {
  const seed = given['seed'] === undefined ? Date.now() % 1_000_000 : Number(given['seed'])
  terminal.out(`seed ${seed}\n`)
  return seed
}

export function addFireCommands(commands: Parser, terminal: Terminal): Parser {
  return commands
    .command(
      'kill',
      'kill -9 at random moments of writing, merging and settings changes',
      (words) => words.option('runs', amount(200, 'How many kills')).option('seed', SEED),
      (given) => runKills(Number(given['runs']), seedOf(given, terminal), terminal),
    )
    .command(
      'damage',
      'One file of a database damaged: bits, lengths, sectors',
      (words) => words.option('cases', amount(2000, 'How many cases')).option('seed', SEED),
      (given) => runDamage(Number(given['cases']), seedOf(given, terminal), terminal),
    )
}

async function runKills(runs: number, seed: number, terminal: Terminal): Promise<void> {
  const bar = openBar(terminal, runs)
  const restarts: number[] = []
  let [done, tasks, unheard] = [0, 0, 0]
  for (let session = 0; done < runs; session++) {
    let acknowledged = 0
    await killSession({
      seed: seed + session,
      kills: Math.min(KILLS_PER_DATABASE, runs - done),
      onKill: (report) => {
        bar(++done, `database ${session + 1}, ${report.tasks} tasks`)
        restarts.push(report.restartMs)
        unheard += report.unheard
        acknowledged = report.acknowledged + report.unheard
      },
    })
    tasks += acknowledged
  }
  bar(runs, '')
  terminal.out(`${runs} kills, ${tasks} tasks, ${unheard} of them not yet acknowledged\n`)
  terminal.out(`start after a kill: ${summary(restarts, 'ms')}\n`)
}

async function runDamage(cases: number, seed: number, terminal: Terminal): Promise<void> {
  const bar = openBar(terminal, cases)
  const made = await makeDatabase()
  try {
    const reports = await damageCases({
      db: made.path,
      seed,
      cases,
      onCase: (number, { kind, file, at }) => bar(number, `${kind} ${file} at ${at}`),
    })
    bar(cases, '')
    terminal.out(`${cases} cases\n`)
    for (const verdict of ['same', 'refused', 'failed', 'broken'] as const) {
      const count = reports.filter((report) => report.verdict === verdict).length
      terminal.out(`${String(count).padStart(6)} ${VERDICTS[verdict]}\n`)
    }
    for (const {
      verdict,
      case: { kind, file, at, bit },
      problem,
    } of reports) {
      if (verdict !== 'broken') continue
      terminal.out(`${kind} ${file} at ${at}.${bit}: ${problem.slice(0, PROBLEM_CHARACTERS_MAX)}\n`)
      process.exitCode = 1
    }
  } finally {
    made.remove()
  }
}

const VERDICTS = {
  same: 'told the same as before',
  refused: 'refused to open, naming the file',
  failed: 'answered with an error that names the file, for the damaged index alone',
  broken: 'BROKEN',
}
