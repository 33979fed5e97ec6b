// Damage: a database with a flipped bit, a truncation or a sector of zeros in one file at a time.
// An engine in this process opens it and answers a fixed set of questions.
//
// Expected for each case: the same answers as before; or the engine refuses to open and names the
// file; or requests for the damaged index fail with an error that names the file. No other answer
// is allowed, and the process must not end.
import assert from 'node:assert/strict'
import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { readDatabase, segmentPath } from '../../../engine/store/catalog/index.ts'
import {
  collectGarbage,
  type Random,
  RealFileSystem,
  randomOf,
} from '../../../engine/store/storage/index.ts'
import { openTestEngine, type TestEngine } from '../../../engine/testing/index.ts'
import { makeDatabase } from '../../../tools/test-support.ts'
import { newFolder } from '../parts/database.ts'
import type { Progress, Report, Run } from '../parts/report.ts'
import { startWatchdog } from '../parts/watchdog.ts'
import { type Answers, interrogate, type Outcome, outcomeOf, QUESTIONS } from './questions.ts'

type Kind = 'flip' | 'cut' | 'zeros' | 'gone'
type Case = {
  readonly file: string
  readonly kind: Kind
  /** Offset of the changed byte, or the new length. */
  readonly at: number
  readonly bit: number
}

/** The outcome of a case. */
type Verdict = 'same' | 'refused' | 'failed' | 'broken'
export type CaseReport = {
  readonly case: Case
  readonly verdict: Verdict
  /** The violated expectation; empty unless broken. */
  readonly problem: string
}

const SECTOR_BYTES = 512
const COLLECT_EVERY = 50
/** After this time a case counts as hanging. */
const SILENCE_MS = 60_000
const PROBLEM_CHARACTERS_MAX = 1000
/** Its content is only for people; the lock itself is not in the file. */
const MEANINGLESS = ['LOCK']

/** The answers of an intact database. */
type Reference = {
  /** While its tasks wait. */
  readonly waiting: Answers
  /** After the tasks ran. */
  readonly done: Answers
  /** File of a segment → its index. */
  readonly owners: ReadonlyMap<string, string>
}

const VERDICTS = {
  same: 'answered the same as before',
  refused: 'refused to open, naming the file',
  failed: 'answered with an error that names the file, for the damaged index alone',
  broken: 'BROKEN',
}

/** `damage`: one file of a new database at a time. */
export async function damageRun({
  cases,
  seed,
  progress,
}: Run & { cases: number }): Promise<Report> {
  const made = await makeDatabase()
  try {
    const reports = await damageCases(made.path, seed, cases, progress)
    const counts = Object.entries(VERDICTS).map(([verdict, words]) => [
      words,
      reports.filter((report) => report.verdict === verdict).length,
    ])
    const problems = reports
      .filter(({ verdict }) => verdict === 'broken')
      .map((report) => `${JSON.stringify(report.case)}: ${report.problem}`)
      .map((text) => text.slice(0, PROBLEM_CHARACTERS_MAX))
    return { figures: { cases, ...Object.fromEntries(counts) }, problems }
  } finally {
    made.remove()
  }
}

/** Runs the cases one after another; unexpected outcomes are reported as broken. */
export async function damageCases(
  db: string,
  seed: number,
  cases: number,
  progress?: Progress,
): Promise<readonly CaseReport[]> {
  const root = newFolder()
  const random = randomOf(seed)
  const watchdog = startWatchdog(SILENCE_MS)
  const reports: CaseReport[] = []
  try {
    const reference = await referenceOf(db, join(root, 'sound'))
    const files = filesOf(db).filter((file) => !MEANINGLESS.includes(file))
    for (let number = 0; number < cases; number++) {
      const file = files[number % files.length]!
      const next = caseOf(random, file, statSync(join(db, file)).size)
      progress?.(number, cases, `${next.kind} ${file} at ${next.at}`)
      watchdog.pat(`seed ${seed}, case ${number}, ${JSON.stringify(next)}`)
      const copy = join(root, 'copy')
      cpSync(db, copy, { recursive: true })
      inflict(copy, next)
      reports.push({ case: next, ...(await judged(copy, next, reference)) })
      rmSync(copy, { recursive: true })
      if (number % COLLECT_EVERY === 0) collectGarbage()
    }
  } finally {
    watchdog.stop()
    rmSync(root, { recursive: true, force: true })
  }
  return reports
}

/** Paths of all files, relative to the database. */
export function filesOf(db: string): readonly string[] {
  const names = readdirSync(db, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(join(db, name)).isFile()).sort()
}

/** Half of the offsets are near an end of the file, where its structure is. */
function caseOf(random: Random, file: string, size: number): Case {
  const kind = (['flip', 'flip', 'flip', 'cut', 'cut', 'zeros', 'gone'] as const)[random.below(7)]!
  const near = Math.min(size, 256)
  const places = [random.below(size), random.below(size), random.below(near)]
  const at = [...places, size - 1 - random.below(near)][random.below(4)]!
  return { file, kind, at, bit: random.below(8) }
}

function inflict(db: string, { file, kind, at, bit }: Case): void {
  const path = join(db, file)
  if (kind === 'gone') rmSync(path)
  else if (kind === 'cut') truncateSync(path, at)
  else rewrite(path, kind, at, bit)
}

function rewrite(path: string, kind: Kind, at: number, bit: number): void {
  const bytes = readFileSync(path)
  const sector = at - (at % SECTOR_BYTES)
  if (kind === 'zeros') bytes.fill(0, sector, Math.min(sector + SECTOR_BYTES, bytes.length))
  else bytes[at]! ^= 1 << bit
  writeFileSync(path, bytes)
}

async function referenceOf(db: string, copy: string): Promise<Reference> {
  cpSync(db, copy, { recursive: true })
  const owners = new Map<string, string>()
  for (const index of readDatabase(new RealFileSystem(db)).state.indexes.values()) {
    for (const { segment, layer } of index.segments.values())
      owners.set(segmentPath(segment, layer), index.uid)
  }
  const waiting = await answersOf(copy, false)
  const done = await answersOf(copy, true)
  assert.ok(waiting instanceof Map && done instanceof Map, 'the database itself is sound')
  for (const outcome of [...waiting.values(), ...done.values()]) {
    assert.equal(outcome.kind, 'answer', JSON.stringify(outcome))
  }
  return { waiting, done, owners }
}

/** Returns the answers of an engine, or why it does not open. */
async function answersOf(db: string, runsTasks: boolean): Promise<Answers | Outcome> {
  const reports: string[] = []
  let engine: TestEngine | null = null
  const opening = await outcomeOf(async () => {
    engine = await openTestEngine(RealFileSystem.create(db), {
      restMs: 1e9,
      batchTasksMax: runsTasks ? Number.POSITIVE_INFINITY : 0,
      report: (message, error) => reports.push(`${message} ${String(error)}`),
    })
  })
  if (engine === null) return opening
  const open: TestEngine = engine
  try {
    if (runsTasks) await open.allMerged()
    return await interrogate(open)
  } finally {
    await open.close()
  }
}

async function judged(
  db: string,
  damage: Case,
  reference: Reference,
): Promise<Pick<CaseReport, 'verdict' | 'problem'>> {
  try {
    return { verdict: await judge(db, damage, reference), problem: '' }
  } catch (error) {
    // Mostly assertions of ours; every error counts.
    return { verdict: 'broken', problem: error instanceof Error ? error.message : String(error) }
  }
}

async function judge(db: string, damage: Case, reference: Reference): Promise<Verdict> {
  const waiting = await answersOf(db, false)
  if (!(waiting instanceof Map)) return refusal(waiting as Outcome, damage)
  const first = compare(waiting, [reference.waiting], damage, reference.owners)
  const done = await answersOf(db, true)
  if (!(done instanceof Map)) return refusal(done as Outcome, damage)
  const allowed = tasksEnded(done, damage, reference.done)
    ? [reference.done]
    : // Tasks that read the damage have failed and changed nothing.
      [reference.waiting, reference.done]
  const second = compare(done, allowed, damage, reference.owners)
  return first === 'same' ? second : first
}

function refusal(outcome: Outcome, { file }: Case): Verdict {
  assert.equal(outcome.kind, 'refused', JSON.stringify(outcome))
  assert.ok(outcome.kind === 'refused' && names(outcome, file), JSON.stringify(outcome))
  return 'refused'
}

/** Checks the message, too: a file that names a missing file is to blame for it. */
const names = ({ message }: { readonly message: string }, file: string): boolean =>
  message.toUpperCase().includes(nameOf(file).toUpperCase())

const nameOf = (file: string): string => file.split('/').at(-1)!

/**
 * Returns whether all tasks ended as in an intact database; others failed because of the damage.
 */
function tasksEnded(actual: Answers, { file }: Case, sound: Answers): boolean {
  const [found, expected] = [actual.get('tasks')!, sound.get('tasks')!]
  if (found.kind !== 'answer' || expected.kind !== 'answer') return true
  if (found.text === expected.text) return true
  const before: { status: string }[] = JSON.parse(expected.text)
  const after: { status: string; error: { message: string } | null }[] = JSON.parse(found.text)
  assert.equal(after.length, before.length, 'every task is there')
  for (const [i, task] of after.entries()) {
    if (task.status === before[i]!.status) continue
    assert.equal(task.status, 'failed', JSON.stringify(task))
    assert.ok(task.error?.message.includes(nameOf(file)), JSON.stringify(task))
  }
  return false
}

/** Questions whose answers show the outcome of tasks. */
const ABOUT_TASKS = ['tasks', 'batches']

function compare(
  actual: Answers,
  allowed: readonly Answers[],
  damage: Case,
  owners: ReadonlyMap<string, string>,
): Verdict {
  const owner = owners.get(damage.file)
  let verdict: Verdict = 'same'
  for (const { name, index } of QUESTIONS) {
    const outcome = actual.get(name)!
    if (outcome.kind === 'answer') {
      if (allowed.length > 1 && ABOUT_TASKS.includes(name)) continue
      const answers = allowed.map((other) => textOf(other.get(name)!))
      if (answers.includes(outcome.text)) continue
      assert.equal(outcome.text, answers[0], `another answer to ${name}`)
    }
    assert.ok(outcome.kind === 'refused', `${name}: ${JSON.stringify(outcome)}`)
    assert.ok(names(outcome, damage.file), `${name}: ${outcome.message}`)
    assert.ok(index === null || index === owner, `${name} does not need ${damage.file}`)
    verdict = 'failed'
  }
  return verdict
}

const textOf = (outcome: Outcome): string => (outcome.kind === 'answer' ? outcome.text : '')
