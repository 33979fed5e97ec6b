// `svc-tools db repair`: repairs the damage that can be repaired safely, and reports the rest.
//
//   damaged text or columns, contradictory layers or counts ─► rebuilt from the documents
//   damaged documents or vectors ─► readable ones are kept, the others reported as lost
//   files that nothing refers to ─► moved away wrong VERSION, CLOSED ─► rewritten, removed
//   damaged task log ─► a new, empty one; the tasks that were waiting are reported
//
// Everything that is replaced or removed is kept in a folder beside the database. The manifest is
// the reference for all checks, so a damaged manifest is not repaired. Each step is one edit, and
// the remaining steps are determined by a new check, so a killed repair can be started again.
import { drawLogSalt, type FileSystem } from '../../engine/index.ts'
import { CLOSED, openManifest, readVersion, VERSION, writeVersion } from '../../engine/inspect.ts'
import { type CheckOptions, type CheckResult, checkDatabase, findingsOf } from '../check/index.ts'
import { type Finding, openDatabaseFolder } from '../inspect/index.ts'
import { type Progress, ToolError } from '../terminal/index.ts'
import { mendIndex } from './mend-index.ts'
import { type LostTasks, mendTasks } from './mend-tasks.ts'
import { Quarantine } from './quarantine.ts'
import type { LostDocuments } from './salvage.ts'

type RepairStep = {
  readonly kind: 'version' | 'closed' | 'aside' | 'rebuild' | 'salvage' | 'tasks'
  /** A file, or an index. */
  readonly where: string
  readonly words: string
}

export type RepairResult = {
  readonly database: string
  /** True if the steps were carried out. */
  readonly isDone: boolean
  readonly steps: readonly RepairStep[]
  /** Findings that cannot be repaired, or remain. */
  readonly left: readonly Finding[]
  readonly lost: readonly LostDocuments[]
  /** The losses caused by a new task log, or null if the log was kept. */
  readonly lostTasks: LostTasks | null
  /** The folder with everything that was removed, or null if nothing was. */
  readonly kept: string | null
}

export type RepairOptions = {
  readonly release: string
  /** Carries out the steps; otherwise they are only listed. */
  readonly isMeant: boolean
  /** Opens a progress bar for this number of bytes. */
  readonly openProgress: (bytes: number) => Progress
  /** Opens a progress bar for this number of documents. */
  readonly openCount: (documents: number) => Progress
}

/** @throws ToolError, StorageError `locked` */
export async function repairDatabase(db: string, options: RepairOptions): Promise<RepairResult> {
  const { release, isMeant, openProgress } = options
  const checkOptions: CheckOptions = { lock: true, release, openProgress }
  const result = checkDatabase(db, checkOptions)
  const steps = stepsOf(result)
  const untouched = { database: db, steps, lost: [], lostTasks: null, kept: null }
  if (!isMeant || steps.length === 0) {
    const left = steps.length === 0 ? findingsOf(result) : unrepairable(result)
    return { ...untouched, isDone: false, left }
  }
  const fs = openDatabaseFolder(db)
  refuseOtherRelease(fs, result, release)
  const quarantine = new Quarantine(db)
  for (const { file } of result.leftovers) if (isOurs(file)) quarantine.move(file)
  await repairTextFiles(fs, steps, release)
  const { lost, lostTasks } = await repairAll(fs, result, steps, quarantine, options)
  quarantine.note({ steps, lost, lostTasks })
  const left = findingsOf(checkDatabase(db, checkOptions))
  const kept = quarantine.folder
  return { database: db, isDone: true, steps, left, lost, lostTasks, kept }
}

function stepsOf({ files, indexes, leftovers }: CheckResult): readonly RepairStep[] {
  // Without a sound manifest the right state is unknown.
  if (files.some(({ what, problems }) => what === 'manifest' && problems.length > 0)) return []
  const steps: RepairStep[] = []
  for (const { file, what, problems } of files) {
    if (problems.length === 0) continue
    if (file === VERSION) {
      steps.push({ kind: 'version', where: file, words: 'write the release of these tools' })
    }
    if (what === 'task log') {
      const words = 'replace it with an empty one: the history of tasks is lost'
      steps.push({ kind: 'tasks', where: file, words })
    }
    if (what === 'as it was closed') {
      const words = `accept the current state: ${problems[0]!.message}`
      steps.push({ kind: 'closed', where: CLOSED, words })
    }
  }
  for (const { file } of leftovers) {
    if (isOurs(file))
      steps.push({
        kind: 'aside',
        where: file,
        words: 'unused: move it to the folder of removed files',
      })
  }
  for (const { uid, segments, problems } of indexes) {
    const damaged = segments.filter((segment) => segment.problems.length > 0)
    const where = `index ${uid}`
    for (const { file, what } of damaged) {
      if (what !== 'documents' && what !== 'vectors') continue
      steps.push({ kind: 'salvage', where, words: `keep the ${what} of ${file} that can be read` })
    }
    if (damaged.length === 0 && problems.length === 0) continue
    const words = 'rebuild text, columns and counts from the documents'
    steps.push({ kind: 'rebuild', where, words })
  }
  return steps
}

/** Returns the findings that no step repairs. */
const unrepairable = ({ files }: CheckResult): readonly Finding[] =>
  files
    .filter(
      ({ file, what }) => file !== VERSION && !['as it was closed', 'task log'].includes(what),
    )
    .flatMap(({ problems }) => problems)

/** Returns true for files that the engine creates; other files stay. */
const isOurs = (file: string): boolean => /^(segments|tasks)\/|^manifest-\d+\.log/.test(file)

function refuseOtherRelease(fs: FileSystem, { version }: CheckResult, release: string): void {
  if (version === null || readVersion(fs) === release) return
  const words = `the database is of release ${version}, but these are the tools of ${release}`
  throw new ToolError(`${words}: repair it with the tools of its release`)
}

async function repairTextFiles(
  fs: FileSystem,
  steps: readonly RepairStep[],
  release: string,
): Promise<void> {
  for (const { kind } of steps) {
    if (kind === 'version') await writeVersion(fs, release)
    if (kind === 'closed') await fs.removeAsync(CLOSED)
  }
}

async function repairAll(
  fs: FileSystem,
  { indexes }: CheckResult,
  steps: readonly RepairStep[],
  quarantine: Quarantine,
  { release, openCount }: RepairOptions,
): Promise<Pick<RepairResult, 'lost' | 'lostTasks'>> {
  const manifest = await openManifest(fs, { version: release, upgrade: false, drawLogSalt })
  const lost: LostDocuments[] = []
  let lostTasks: LostTasks | null = null
  try {
    if (steps.some(({ kind }) => kind === 'tasks')) {
      lostTasks = await mendTasks(fs, manifest, quarantine)
    }
    for (const { index, segments, problems } of indexes) {
      const damaged = segments.filter((segment) => segment.problems.length > 0)
      if (damaged.length === 0 && problems.length === 0) continue
      const files = new Set(damaged.map(({ file }) => file))
      lost.push(...(await mendIndex({ fs, manifest, quarantine, openCount }, index, files)))
    }
  } finally {
    await manifest.close()
  }
  return { lost, lostTasks }
}
