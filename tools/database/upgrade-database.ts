// `svc-tools db upgrade`: upgrades a database to this release without a server, like a start with
// the option, and runs no other task. It writes.

import { NO_FILTER, openEngine, RealFileSystem } from '../../engine/index.ts'
import { readDatabase, readVersion, upgradeNote } from '../../engine/inspect.ts'
import { openDatabaseFolder } from '../inspect/index.ts'
import { type Progress, ToolError } from '../terminal/index.ts'

export type UpgradeResult = {
  readonly database: string
  readonly from: string
  readonly to: string
  /** null if there was nothing to do. */
  readonly task: number | null
}

export type UpgradeOptions = {
  readonly release: string
  readonly openProgress: (documents: number) => Progress
}

const MEMORY_BYTES = 1 << 30

/** @throws ToolError, StorageError `locked`, `version` */
export async function upgradeDatabase(
  db: string,
  { release, openProgress }: UpgradeOptions,
): Promise<UpgradeResult> {
  const fs = openDatabaseFolder(db)
  const from = upgradeNote(readDatabase(fs).state)?.from ?? readVersion(fs)
  const progress = new Steps(openProgress)
  const engine = await openEngine({
    path: db,
    version: release,
    upgrade: true,
    onlyUpgrade: true,
    workers: null,
    searchThreads: 1,
    searchQueueMax: 1,
    searchesAtOnce: 1,
    searchDropAfterMs: 60_000,
    indexingMemoryMax: MEMORY_BYTES,
    batchTasksMax: Number.POSITIVE_INFINITY,
    batchBytesMax: Number.POSITIVE_INFINITY,
    report: () => undefined,
    onProgress: (steps) => progress.show(steps),
    fileSystem: new RealFileSystem(db),
  })
  try {
    await engine.idle()
    const filter = { ...NO_FILTER, kinds: ['upgradeDatabase'] as const }
    const page = { from: null, limit: 1, reverse: false }
    const [last] = (await engine.tasks.list(filter, page, null)).results
    if (last?.status === 'failed') {
      throw new ToolError(`the upgrade failed: ${last.error?.message ?? 'for unknown reasons'}`)
    }
    const isNew = last !== undefined && last.details?.['upgradeFrom'] === `v${from}`
    return { database: db, from, to: release, task: isNew ? last.uid : null }
  } finally {
    progress.end()
    await engine.close()
  }
}

/** The progress bar of the current index. */
class Steps {
  readonly #open: UpgradeOptions['openProgress']
  #index = -1
  #bar: Progress | null = null

  constructor(open: UpgradeOptions['openProgress']) {
    this.#open = open
  }

  show(steps: readonly { readonly finished: number; readonly total: number }[]): void {
    const [indexes, segments] = steps
    if (indexes === undefined || segments === undefined) return
    if (indexes.finished !== this.#index) {
      this.end()
      this.#index = indexes.finished
      this.#bar = this.#open(segments.total)
    }
    this.#bar?.at(segments.finished, `index ${indexes.finished + 1} of ${indexes.total}`)
  }

  end(): void {
    this.#bar?.end()
    this.#bar = null
  }
}

export function upgradeText({ database, from, to, task }: UpgradeResult): string {
  if (task === null) return `${database} is of release ${to}; there was nothing to do.\n`
  if (from === to) return `${database}: text and columns were rebuilt by task ${task}.\n`
  return `${database} was upgraded from release ${from} to ${to} by task ${task}.\n`
}
