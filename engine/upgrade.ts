// Taking over a database of an older release, or one whose segments are of an older analysis: what
// has to be built anew, whether that may be done, and how it ends.
//
//   VERSION differs ─► openManifest notes it, writes VERSION ─┐
//   old segments ────► noteOldSegments notes it ──────────────┴► a task `upgradeDatabase`
//   the task: layers of every old index are built from the documents and replaced in one edit,
//   which takes the note away
//
// Documents, logs and the manifest have had one layout so far; what is built from the documents is
// all that can be old.

import { Frame } from '../format/frame/index.ts'
import type { Change, Layer } from '../format/manifest/index.ts'
import { layersRemoved, type Rebuilt, rebuiltChanges } from './batch-changes.ts'
import {
  type IndexState,
  type Manifest,
  type SegmentState,
  type State,
  segmentPath,
  upgradeAdvice,
  upgradeBegun,
  upgradeDue,
  upgradeNote,
  upgradeOver,
  VERSION,
  writeVersion,
} from './catalog/index.ts'
import { StorageError } from './errors.ts'
import { type Indexing, JobCanceled, type NewSegment, removeSegment } from './indexer/index.ts'
import { LAYERS, layerNamed } from './layers/index.ts'
import { inFile } from './segments/index.ts'
import type { FileSystem } from './storage/index.ts'
import {
  allSucceeded,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
  type TaskQueue,
} from './tasks/index.ts'
import { ANALYSIS_VERSION } from './text/index.ts'
import type { Views } from './views.ts'

export type UpgradeParts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly views: Views
  readonly indexing: Indexing
  readonly chunkBytesMax: number
  /** Called when an edit was committed. */
  readonly onCommitted: () => void
  /** Told of an index whose segments are others now. */
  readonly touch: (index: number) => void
}

/** New segments that one edit carries inside; an edit holds 256 MiB. */
const INLINE_BYTES_MAX = 64 * 1024 * 1024
/** Built anew: the layers that depend on the text analysis, all of which are derived. */
const layersBuilt = (): readonly Layer[] =>
  LAYERS.filter(({ analysis }) => analysis !== null).map(({ name }) => name)

/**
 * Notes that an upgrade is due when the database has segments of an older analysis. Reads the end
 * of each text and columns segment. @throws StorageError `version` when there are some and
 * `upgrade` is false, or when some are newer than this build
 */
export async function noteOldSegments(
  fs: FileSystem,
  manifest: Manifest,
  { version, upgrade }: { readonly version: string; readonly upgrade: boolean },
): Promise<void> {
  const old = oldIndexes(fs, manifest.state)
  if (old.length === 0 || upgradeNote(manifest.state) !== null) return
  if (!upgrade) throw new StorageError('version', VERSION, oldSegmentsWords(old, version))
  await manifest.commit(upgradeDue(version))
}

function oldSegmentsWords(old: readonly IndexState[], version: string): string {
  const [first] = old
  const more = old.length === 1 ? '' : ` and ${old.length - 1} more`
  const words = `Your database holds segments of an older format (index \`${first!.uid}\`${more}),`
  const what = `which is incompatible with your current engine version (${version}).`
  return `${words} ${what}\n${upgradeAdvice()}`
}

/** Sees to it that a task does what is noted. */
export async function enqueueUpgrade(
  queue: TaskQueue,
  { state }: Manifest,
  version: string,
): Promise<void> {
  const note = upgradeNote(state)
  if (note === null || queue.waitingUpgrades().length > 0) return
  const content = { kind: 'upgradeDatabase', from: `v${note.from}`, to: `v${version}` } as const
  await queue.register({ indexUid: null, content, customMetadata: null })
}

/** Indexes that have a segment of an older analysis. @throws StorageError `version` */
export const oldIndexes = (fs: FileSystem, { indexes }: State): readonly IndexState[] =>
  [...indexes.values()].filter(({ segments }) =>
    [...segments.values()].some((segment) => isOld(fs, segment)),
  )

function isOld(fs: FileSystem, segment: SegmentState): boolean {
  const { kind, analysis: read } = layerNamed(segment.layer)
  if (read === null) return false
  const path = segmentPath(segment.segment, segment.layer)
  let analysis = ANALYSIS_VERSION
  try {
    analysis = inFile(path, () => read(Frame.open(bytesOf(fs, path, segment), kind, path)))
  } catch (error) {
    // A damaged segment is told of by whoever reads it; the other indexes answer.
    if (!(error instanceof StorageError) || error.code === 'version') throw error
  }
  if (analysis > ANALYSIS_VERSION) {
    const words = `\`${path}\` was made by analysis ${analysis}; this build has ${ANALYSIS_VERSION}`
    throw new StorageError('version', path, `${words}. Downgrade is not supported`)
  }
  return analysis < ANALYSIS_VERSION
}

const bytesOf = (fs: FileSystem, path: string, { location, bytes }: SegmentState): Uint8Array =>
  location.kind === 'inline' ? location.frame : fs.map(path, bytes)

/**
 * Builds the layers of all old indexes anew. One edit replaces them, unless small segments alone
 * fill it; searches find the old ones until then. @throws StorageError
 */
export async function upgradeBatch(
  parts: UpgradeParts,
  plan: BatchPlan,
  control: BatchControl,
): Promise<BatchEnd> {
  const { fs, manifest } = parts
  let built: BuiltIndex[] = []
  try {
    const old = oldIndexes(fs, manifest.state)
    for (const [i, index] of old.entries()) {
      control.progress([{ currentStep: 'upgrading indexes', finished: i, total: old.length }])
      if (inlineBytes(built) > INLINE_BYTES_MAX) {
        const group = built
        await manifest.commit((state) => [...replacing(state, group), upgradeBegun()])
        built = []
        committed(parts, group)
      }
      const rebuilt = await rebuild(parts, index, control, { finished: i, total: old.length })
      built.push({ index: index.index, rebuilt })
    }
    return await finish(parts, plan, control, built)
  } catch (error) {
    for (const { rebuilt } of built) for (const segment of rebuilt.segments) discard(fs, segment)
    if (error instanceof JobCanceled) return { kind: 'aborted' }
    throw error
  }
}

type BuiltIndex = { readonly index: number; readonly rebuilt: Rebuilt }

async function rebuild(
  { views, indexing, chunkBytesMax }: UpgradeParts,
  { index }: IndexState,
  { signal, progress }: BatchControl,
  indexes: { readonly finished: number; readonly total: number },
): Promise<Rebuilt> {
  const lease = views.lease(index)
  if (lease === null) return { segments: [], fieldsAdded: [] }
  const view = lease.ref
  const { settings } = view
  try {
    return await indexing.run(
      { kind: 'rebuild', view, settings, layers: layersBuilt(), chunkBytesMax },
      {
        signal,
        progress: (finished, total) =>
          progress([
            { currentStep: 'upgrading indexes', ...indexes },
            { currentStep: 'building segments', finished, total },
          ]),
      },
    )
  } finally {
    lease.release()
  }
}

async function finish(
  parts: UpgradeParts,
  plan: BatchPlan,
  control: BatchControl,
  built: readonly BuiltIndex[],
): Promise<BatchEnd> {
  const sealed = await control.seal(allSucceeded(plan))
  if (control.signal.aborted) throw new JobCanceled()
  const { uid: batch, payload: record } = sealed
  await parts.manifest.commit((state) => [
    ...replacing(state, built),
    ...upgradeOver(),
    { kind: 'tasks-finished', batch, record },
  ])
  committed(parts, built)
  return { kind: 'committed', sealed }
}

function replacing({ indexes }: State, built: readonly BuiltIndex[]): Change[] {
  return built.flatMap(({ index, rebuilt }) => {
    const current = indexes.get(index)
    if (current === undefined) return []
    return [...layersRemoved(current, layersBuilt()), ...rebuiltChanges(index, rebuilt)]
  })
}

function committed({ onCommitted, touch }: UpgradeParts, built: readonly BuiltIndex[]): void {
  onCommitted()
  for (const { index } of built) touch(index)
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
 * The task was called off: the database is one of the older release again, for this process to
 * read and for no other task. Words for the log where nothing leads back. @throws StorageError
 */
export async function rollBackUpgrade(fs: FileSystem, manifest: Manifest): Promise<string | null> {
  const note = upgradeNote(manifest.state)
  if (note === null) return null
  if (note.hasBegun) {
    const [left] = oldIndexes(fs, manifest.state)
    const name = left?.uid ?? 'all'
    return `Failed to rollback for index \`${name}\`: others have been upgraded already.`
  }
  await writeVersion(fs, note.from)
  await manifest.commit(upgradeOver())
  return null
}

function discard(fs: FileSystem, segment: NewSegment): void {
  try {
    removeSegment(fs, segment)
  } catch (error) {
    // It stays behind; the next start removes it.
    if (!(error instanceof StorageError)) throw error
  }
}
