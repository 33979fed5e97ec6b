// The long versions of the tests under fire, as commands. Each prints its seed first and its
// figures last; a bar shows the progress.
import { bytesText, type Parser, type Terminal } from '../../tools/terminal/index.ts'
import { makeDatabase } from '../../tools/test-support.ts'
import { attack } from './attack.ts'
import { type Bar, openBar } from './bar.ts'
import { measureBusy } from './busy.ts'
import { damageCases } from './damage.ts'
import { fillDisk } from './full-disk.ts'
import { amount, type Given, SEED, seedOf } from './given.ts'
import { killSession } from './kill.ts'
import { killDumps } from './kill-dumps.ts'
import { killAtSnapshots, MOMENTS } from './snapshot-kill.ts'
import { summary } from './summary.ts'

const PROBLEM_CHARACTERS_MAX = 1000
const MB = 1_000_000
const KILLS_PER_DATABASE = 4

export function addFireCommands(commands: Parser, terminal: Terminal): Parser {
  return commands
    .command(
      'kill',
      'kill -9 at random moments of writing, merging, settings changes and embedding',
      (words) => words.option('runs', amount(200, 'Number of kills')).option('seed', SEED),
      (given) => runKills(Number(given['runs']), seedOf(given, terminal), terminal),
    )
    .command(
      'dumps',
      'kill -9 while dumps are made, and while they are imported',
      (words) =>
        words
          .option('runs', amount(20, 'Kills of each kind'))
          .option('documents', amount(20_000, 'Documents of the database'))
          .option('seed', SEED),
      (given) => runDumps(given, seedOf(given, terminal), terminal),
    )
    .command(
      'damage',
      'One file of a database damaged: bits, lengths, sectors',
      (words) => words.option('cases', amount(2000, 'Number of cases')).option('seed', SEED),
      (given) => runDamage(Number(given['cases']), seedOf(given, terminal), terminal),
    )
    .command(
      'bodies',
      'Bodies that are broken, packed wrongly, too large, cut off',
      (words) =>
        words
          .option('megabytes', amount(100, 'Megabytes of the long body with one bad line'))
          .option('fields', amount(1_000_000, 'Fields of one document')),
      (given) => runBodies(Number(given['megabytes']), Number(given['fields']), terminal),
    )
    .command(
      'busy',
      'How quickly GET /health and searches are answered during indexing',
      (words) =>
        words.option('documents', amount(200_000, 'Number of documents')).option('seed', SEED),
      (given) => runBusy(Number(given['documents']), seedOf(given, terminal), terminal),
    )
    .command(
      'snapshots',
      'kill -9 while a snapshot is made, uploaded or imported',
      (words) =>
        words
          .option('runs', amount(20, 'Kills at each of these moments'))
          .option('thousands', amount(20, 'Thousands of documents'))
          .option('at', { describe: 'Only at this moment', choices: MOMENTS, requiresArg: true })
          .option('seed', SEED),
      (given) => runSnapshotKills(given, seedOf(given, terminal), terminal),
    )
    .command(
      'full',
      'A disk that is full: mounts a small one in memory, which takes the rights to do so',
      (words) => words.option('seed', SEED),
      (given) => runFull(seedOf(given, terminal), terminal),
    )
}

async function runKills(runs: number, seed: number, terminal: Terminal): Promise<void> {
  const bar = openBar(terminal, runs)
  const restarts: number[] = []
  let [done, tasks, unheard, embedding, unchanged] = [0, 0, 0, 0, 0]
  for (let session = 0; done < runs; session++) {
    let acknowledged = 0
    await killSession({
      seed: seed + session,
      kills: Math.min(KILLS_PER_DATABASE, runs - done),
      onKill: (report) => {
        bar(++done, `database ${session + 1}, ${report.tasks} tasks`)
        restarts.push(report.restartMs)
        unheard += report.unheard
        unchanged += report.unchanged
        if (report.isEmbedding) embedding++
        acknowledged = report.acknowledged + report.unheard
      },
    })
    tasks += acknowledged
  }
  bar(runs, '')
  terminal.out(`${runs} kills, ${tasks} tasks, ${unheard} of them not yet acknowledged\n`)
  terminal.out(`${embedding} kills while a batch waited for vectors\n`)
  terminal.out(`${unchanged} documents changed but for their text, none embedded again\n`)
  terminal.out(`start after a kill: ${summary(restarts, 'ms')}\n`)
}

async function runSnapshotKills(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const runs = Number(given['runs'])
  const thousands = Number(given['thousands'])
  for (const moment of MOMENTS) {
    if (given['at'] !== undefined && given['at'] !== moment) continue
    const bar = openBar(terminal, runs)
    let [done, hits] = [0, 0]
    const onKill = (hit: boolean): void => {
      if (hit) hits++
      bar(++done, moment)
    }
    await killAtSnapshots({ seed, kills: runs, moment, thousands, onKill })
    terminal.out(`${moment}: ${runs} kills, ${hits} in the middle of it\n`)
  }
}

async function runDumps(given: Given, seed: number, terminal: Terminal): Promise<void> {
  const kills = Number(given['runs'])
  const bar = openBar(terminal, 2 * kills)
  let [done, inTime] = [0, 0]
  await killDumps({
    seed,
    kills,
    documents: Number(given['documents']),
    onKill: ({ during, ms, isInTime }) => {
      if (isInTime) inTime++
      bar(++done, `${during}, killed after ${ms} ms`)
    },
  })
  bar(2 * kills, '')
  terminal.out(`${done} kills, ${inTime} of them before the work was done\n`)
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
  same: 'answered the same as before',
  refused: 'refused to open, naming the file',
  failed: 'answered with an error that names the file, for the damaged index alone',
  broken: 'BROKEN',
}

async function runBodies(megabytes: number, fields: number, terminal: Terminal): Promise<void> {
  const ndjsonBytes = megabytes * MB
  const sizes = { ndjsonBytes, fields, bombBytes: 4 * ndjsonBytes, depth: 1_000_000 }
  let bar: Bar = () => undefined
  const { reports, bytesBefore, bytesPeak } = await attack(
    sizes,
    ndjsonBytes + MB,
    (done, of, name) => {
      if (done === 0) bar = openBar(terminal, of)
      bar(done, name)
    },
  )
  bar(reports.length, '')
  for (const { name, status, millis, problem } of reports) {
    const line = `${String(status).padStart(4)} ${millis.toFixed(0).padStart(7)} ms  ${name}`
    terminal.out(`${line}${problem === '' ? '' : `: ${problem}`}\n`)
    if (problem !== '') process.exitCode = 1
  }
  terminal.out(`memory: ${bytesText(bytesBefore)} before, ${bytesText(bytesPeak)} at most\n`)
}

async function runBusy(documents: number, seed: number, terminal: Terminal): Promise<void> {
  const bar = openBar(terminal, documents)
  const report = await measureBusy({ documents, seed, onBody: (sent) => bar(sent, 'documents') })
  bar(documents, '')
  const { health, searches, seconds, bytesPeak } = report
  const speed = Math.round(documents / seconds)
  terminal.out(`${documents} documents in ${seconds.toFixed(1)} s, ${speed} a second\n`)
  terminal.out(`GET /health: ${summary(health, 'ms')}\n`)
  terminal.out(`searches:    ${summary(searches, 'ms')}\n`)
  terminal.out(`memory:      ${bytesText(bytesPeak)} at most\n`)
}

async function runFull(seed: number, terminal: Terminal): Promise<void> {
  const { refused, failed, succeeded } = await fillDisk(seed)
  terminal.out(`${succeeded} tasks succeeded, ${failed} failed and ${refused} bodies were refused `)
  terminal.out('for want of space; nothing acknowledged was lost, and work went on\n')
}
