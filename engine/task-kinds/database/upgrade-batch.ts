// Runs the batch that upgrades a database of an older release, or one whose segments have an older
// analysis version, and enqueues the task for it. `upgrade.ts` determines which indexes are old.

import { MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { IndexNo } from '../../../format/ids.ts'
import type { Change, Layer } from '../../../format/manifest/index.ts'
import { Canceled } from '../../model/index.ts'
import {
  type Manifest,
  type State,
  upgradeBegun,
  upgradeNote,
  upgradeOver,
  writeVersion,
} from '../../store/catalog/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { layersRemoved, type Rebuilt, rebuiltChanges } from '../../write/batches/index.ts'
import {
  allSucceeded,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
} from '../../write/batching/index.ts'
import { discardSegment } from '../../write/indexer/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'
import type { BatchRun, TaskEnvironment } from '../kind/index.ts'
import { type OldIndex, oldIndexes } from './upgrade.ts'

export type UpgradeContent = {
  readonly kind: 'upgradeDatabase'
  readonly from: string
  readonly to: string
}

/** Bytes of new segments stored inside one edit; an edit holds 256 MiB. */
const INLINE_BYTES_MAX = 64 * MiB
/** Enqueues the upgrade task if an upgrade is noted and no such task waits. */
export async function enqueueUpgrade(
  queue: TaskQueue,
  { state }: Manifest,
  version: string,
): Promise<void> {
  const note = upgradeNote(state)
  if (note === null || queue.waitingOfKind('upgradeDatabase').length > 0) return
  const content: UpgradeContent = {
    kind: 'upgradeDatabase',
    from: `v${note.from}`,
    to: `v${version}`,
  }
  await queue.register({ indexUid: null, content, customMetadata: null })
}

/**
 * Rebuilds the old layers of all indexes. One edit replaces them, unless small segments alone
 * exceed `INLINE_BYTES_MAX`; searches use the old segments until then. @throws StorageError
 */
export const runUpgrade: BatchRun = async (environment, plan, unwatched) => {
  const { fs, manifest } = environment
  const control = watched(environment, unwatched)
  let built: BuiltIndex[] = []
  try {
    const old = oldIndexes(fs, manifest.state)
    for (const [i, index] of old.entries()) {
      control.progress([{ currentStep: 'upgrading indexes', finished: i, total: old.length }])
      if (inlineBytes(built) > INLINE_BYTES_MAX) {
        const group = built
        await manifest.commit((state) => [...replacing(state, group), upgradeBegun()])
        built = []
        committed(environment, group)
      }
      const rebuilt = await rebuild(environment, index, control, { finished: i, total: old.length })
      built.push({ index: index.index.index, layers: index.layers, rebuilt })
    }
    return await finish(environment, plan, control, built)
  } catch (error) {
    for (const { rebuilt } of built) {
      for (const segment of rebuilt.segments) discardSegment(fs, segment)
    }
    throw error
  }
}

/** Returns a control that also reports progress to the watcher of upgrades. */
function watched({ onUpgradeProgress }: TaskEnvironment, control: BatchControl): BatchControl {
  if (onUpgradeProgress === undefined) return control
  return {
    ...control,
    progress: (steps) => {
      control.progress(steps)
      onUpgradeProgress(steps)
    },
  }
}

type BuiltIndex = {
  readonly index: IndexNo
  readonly layers: readonly Layer[]
  readonly rebuilt: Rebuilt
}

async function rebuild(
  { views, indexing, chunkBytesMax }: TaskEnvironment,
  { index: { index }, layers }: OldIndex,
  { signal, progress }: BatchControl,
  indexes: { readonly finished: number; readonly total: number },
): Promise<Rebuilt> {
  using lease = views.lease(index)
  assert(lease !== null, 'an index of the catalog has a view')
  const view = lease.ref
  const { settings } = view
  return await indexing.run(
    { kind: 'rebuild', view, settings, layers, chunkBytesMax },
    {
      signal,
      progress: (finished, total) =>
        progress([
          { currentStep: 'upgrading indexes', ...indexes },
          { currentStep: 'building segments', finished, total },
        ]),
    },
  )
}

async function finish(
  environment: TaskEnvironment,
  plan: BatchPlan,
  control: BatchControl,
  built: readonly BuiltIndex[],
): Promise<BatchEnd> {
  const sealed = await control.seal(allSucceeded(plan))
  if (control.signal.aborted) throw new Canceled()
  await environment.manifest.commit((state) => [
    ...replacing(state, built),
    ...upgradeOver(),
    { kind: 'tasks-finished', batch: sealed.view.uid, record: sealed.payload },
  ])
  committed(environment, built)
  return { kind: 'committed', sealed }
}

function replacing({ indexes }: State, built: readonly BuiltIndex[]): Change[] {
  return built.flatMap(({ index, layers, rebuilt }) => {
    const current = indexes.get(index)
    if (current === undefined) return []
    return [...layersRemoved(current, layers), ...rebuiltChanges(current, rebuilt)]
  })
}

function committed({ onCommitted, merger }: TaskEnvironment, built: readonly BuiltIndex[]): void {
  onCommitted()
  for (const { index } of built) merger.touch(index)
}

function inlineBytes(built: readonly BuiltIndex[]): number {
  let sum = 0
  for (const { rebuilt } of built) {
    for (const { location } of rebuilt.segments) {
      if (location.kind === 'inline') sum += location.frame.length
    }
  }
  return sum
}

/**
 * Handles a canceled upgrade: the database becomes one of the older release again, which this
 * process may read but not change. Returns a message for the log if it cannot be rolled back.
 * @throws StorageError
 */
export async function rollBackUpgrade(fs: FileSystem, manifest: Manifest): Promise<string | null> {
  const note = upgradeNote(manifest.state)
  if (note === null) return null
  if (note.hasBegun) {
    const [left] = oldIndexes(fs, manifest.state)
    const name = left?.index.uid ?? 'all'
    return `Failed to rollback for index \`${name}\`: others have been upgraded already.`
  }
  await writeVersion(fs, note.from)
  await manifest.commit(upgradeOver())
  return null
}
