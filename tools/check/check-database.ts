// `svc-tools check`: verifies that every byte of a database is as written, and that its parts
// agree.
//
// It only reads. It holds the lock for reading, so that no server changes anything during the
// check; with `--no-lock` the database may change during the check, which can cause false findings.

import { type FileSystem, type Lock, StorageError, taskFolderOf } from '../../engine/index.ts'
import {
  bodyPath,
  CLOSED,
  CURRENT,
  checkClosed,
  checkIdentity,
  compareVersions,
  type DatabaseRead,
  IDENTITY,
  type IndexState,
  LOCK,
  readDatabase,
  readVersion,
  type SegmentState,
  TASKS,
  VERSION,
} from '../../engine/inspect.ts'
import { RECORD_BATCH } from '../../format/tasks/index.ts'
import {
  type Finding,
  findingAbout,
  findingOf,
  openDatabaseFolder,
  segmentLabel,
  taskRecordSummary,
} from '../inspect/index.ts'
import { countOf, type Progress, ToolError } from '../terminal/index.ts'
import { checkIndex } from './check-index.ts'
import { checkBody, checkTaskLog, endNotes, taskLogPath } from './check-tasks.ts'
import { findLeftovers } from './leftovers.ts'
import { type CheckResult, type FileReport, findingsOf, type IndexReport } from './result.ts'

export type CheckOptions = {
  /** True if the lock is held. */
  readonly lock: boolean
  /** Release of the tools: a database of another release gets a note. */
  readonly release: string
  /** Uid of the only index to check; absent checks everything. */
  readonly index?: string
  /** Opens a progress bar for this number of bytes. */
  readonly openProgress: (bytesTotal: number) => Progress
}

/**
 * Never throws for faults of the database. @throws ToolError if there is no database,
 * StorageError `locked`
 */
export function checkDatabase(path: string, options: CheckOptions): CheckResult {
  const fs = openDatabaseFolder(path)
  using _lock = options.lock ? lockedForReading(fs) : null
  return new DatabaseCheck(fs, options).run(path)
}

function lockedForReading(fs: FileSystem): Lock {
  try {
    return fs.lockForReading(LOCK)
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'locked') throw error
    throw new ToolError(`${error.message}; to check it while the server runs, add --no-lock`)
  }
}

class DatabaseCheck {
  readonly #fs: FileSystem
  readonly #options: CheckOptions
  readonly #files: FileReport[] = []
  readonly #notes: string[] = []
  /** Paths that the manifest or a log refers to. */
  readonly #named = new Set<string>()
  #progress: Progress | null = null
  /** Bytes of the finished files. */
  #done = 0

  constructor(fs: FileSystem, options: CheckOptions) {
    this.#fs = fs
    this.#options = options
  }

  run(path: string): CheckResult {
    const version = this.#checkVersion()
    this.#checkIdentity()
    this.#checkClosed()
    const database = this.#checkManifest()
    this.#progress = this.#options.openProgress(this.#bytesTotal(database))
    let indexes: IndexReport[]
    try {
      indexes = database === null ? [] : this.#checkIndexes(database)
      if (this.#options.index === undefined) this.#checkTasks(database)
    } finally {
      this.#progress.end()
    }
    const isWhole = database !== null && this.#options.index === undefined
    const leftovers = !isWhole ? [] : findLeftovers(this.#fs, this.#named)
    if (!this.#options.lock) {
      this.#notes.push('checked without the lock: changes by a running server may cause findings')
    }
    const problemCount = findingsOf({ files: this.#files, indexes }).length
    const notes = this.#notes
    const isSound = problemCount === 0
    const files = this.#files
    return { database: path, version, isSound, problemCount, files, indexes, leftovers, notes }
  }

  #checkVersion(): string | null {
    try {
      const version = readVersion(this.#fs)
      const order = compareVersions(version, this.#options.release)
      if (order !== 0) this.#notes.push(releaseNote(version, this.#options.release, order > 0))
      return version
    } catch (error) {
      this.#report(VERSION, 'text file', 0, '', [findingOf(VERSION, error)])
      return null
    }
  }

  #checkIdentity(): void {
    try {
      checkIdentity(this.#fs)
    } catch (error) {
      this.#report(IDENTITY, 'text file', 0, '', [findingOf(IDENTITY, error)])
    }
  }

  /** Checks that the logs end as they did when the database was closed, if it was. */
  #checkClosed(): void {
    // While a server runs, the logs have grown since.
    if (!this.#options.lock) return
    try {
      checkClosed(this.#fs)
    } catch (error) {
      const path = error instanceof StorageError ? error.path : CLOSED
      this.#report(path, 'as it was closed', 0, '', [findingOf(path, error)])
    }
  }

  #checkManifest(): DatabaseRead | null {
    try {
      const problems: Finding[] = []
      const read = readDatabase(this.#fs)
      const { path, bytes, contents, state } = read
      this.#named.add(path)
      for (const [batch, record] of state.outcomes) {
        const finding = outcomeFinding(path, batch, record)
        if (finding !== null) problems.push(finding)
      }
      // While a server runs, no log is sealed.
      if (this.#options.lock) this.#notes.push(...endNotes(path, bytes, contents, read.isSealed))
      const segments = [...state.indexes.values()].reduce((sum, i) => sum + i.segments.size, 0)
      const facts = `${countOf(state.indexes.size, 'index', 'indexes')}, ${countOf(segments, 'segment')}`
      this.#report(path, 'manifest', bytes, facts, problems)
      return read
    } catch (error) {
      this.#report(CURRENT, 'manifest', 0, '', [findingOf(CURRENT, error)])
      this.#notes.push(
        'no segment was checked, because the manifest that names them cannot be read',
      )
      return null
    }
  }

  #checkIndexes({ path, state }: DatabaseRead): IndexReport[] {
    return this.#chosen(state).map((index) => {
      for (const segment of index.segments.values()) {
        if (segment.location.kind === 'file') this.#named.add(segmentLabel(path, segment))
      }
      const base = this.#done
      const before = segmentStarts([...index.segments.values()])
      const { report, notes } = checkIndex({
        fs: this.#fs,
        manifest: path,
        index,
        step: (segment, bytesDone) =>
          this.#progress?.at(base + before.get(segment)! + bytesDone, `index ${index.uid}`),
      })
      this.#notes.push(...notes)
      this.#done += bytesOf([...index.segments.values()])
      return report
    })
  }

  /** Returns the indexes to check. @throws ToolError if there is no index of that name */
  #chosen({ indexes }: DatabaseRead['state']): readonly IndexState[] {
    const all = [...indexes.values()]
    const { index } = this.#options
    if (index === undefined) return all
    const chosen = all.filter(({ uid }) => uid === index)
    if (chosen.length > 0) return chosen
    const names = all.map(({ uid }) => uid).join(', ')
    throw new ToolError(`there is no index \`${index}\`: the database has ${names || 'none'}`)
  }

  #checkTasks(database: DatabaseRead | null): void {
    const folder = folderOfTasks(database)
    const path = taskLogPath(this.#fs, folder)
    const outcomes = database?.state.outcomes.values() ?? []
    if (path === null) {
      // A database that is being created has no task log yet.
      if (database?.state.sequence === 0) return
      const words = 'there is no task log: the history of tasks and all waiting tasks are lost'
      this.#report('tasks', 'task log', 0, '', [findingAbout('tasks', 'missing', words)])
      return
    }
    const step = (done: number): void => this.#progress?.at(this.#done + done, path)
    const { report, waiting, notes } = checkTaskLog(this.#fs, folder, outcomes, step)
    this.#named.add(path)
    if (report !== null) this.#files.push(report)
    if (this.#options.lock) this.#notes.push(...notes)
    const bytes = report?.bytes ?? 0
    for (const body of waiting) {
      const name = bodyPath(body.file)
      this.#named.add(name)
      // Their sizes are known only now, so the bar is full meanwhile.
      this.#files.push(
        checkBody(this.#fs, body, () => this.#progress?.at(this.#done + bytes, name)),
      )
    }
  }

  #report(
    file: string,
    what: string,
    bytes: number,
    facts: string,
    problems: readonly Finding[],
  ): void {
    this.#files.push({ file, what, bytes, facts, problems })
  }

  /** Total of the progress bar: segments and the task log. */
  #bytesTotal(database: DatabaseRead | null): number {
    const path = taskLogPath(this.#fs, folderOfTasks(database))
    const isPart = this.#options.index !== undefined
    const tasks = path === null || isPart ? 0 : this.#fs.size(path)
    const indexes = database === null ? [] : this.#chosen(database.state)
    return tasks + indexes.reduce((sum, index) => sum + bytesOf([...index.segments.values()]), 0)
  }
}

function releaseNote(found: string, own: string, isNewer: boolean): string {
  const words = `the database was written by release ${found}, but these are the tools of ${own}`
  return isNewer ? `${words}: data that they do not know is reported as damage` : words
}

/** A database that follows another one keeps the log in a separate folder. */
const folderOfTasks = (database: DatabaseRead | null): string =>
  database === null ? TASKS : taskFolderOf(database.state)

const bytesOf = (segments: readonly SegmentState[]): number =>
  segments.reduce((sum, { bytes }) => sum + bytes, 0)

/** Segment number → bytes of the segments that are checked before it. */
function segmentStarts(segments: readonly SegmentState[]): ReadonlyMap<number, number> {
  const starts = new Map<number, number>()
  let at = 0
  for (const { segment, bytes } of [...segments].sort((a, b) => a.segment - b.segment)) {
    starts.set(segment, at)
    at += bytes
  }
  return starts
}

function outcomeFinding(path: string, batch: number, record: Uint8Array): Finding | null {
  try {
    taskRecordSummary(RECORD_BATCH, record)
    return null
  } catch (error) {
    return findingOf(`${path} (outcome of batch ${batch})`, error)
  }
}
