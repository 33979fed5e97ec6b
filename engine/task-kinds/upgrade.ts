// Taking over a database of an older release, or one whose segments are of an older analysis: what
// has to be built anew, and whether that may be done. The batch that does it is in
// `engine/task-kinds/upgrade-batch.ts`.
//
//   VERSION differs ─► openManifest notes it, writes VERSION ─┐
//   old segments ────► noteOldSegments notes it ──────────────┴► a task `upgradeDatabase`
//   the task: layers of every old index are built from the documents and replaced in one edit,
//   which takes the note away
//
// Documents, logs and the manifest have had one layout so far; what is built from the documents is
// all that can be old.

import { Frame } from '../../format/frame/index.ts'
import { StorageError } from '../model/index.ts'
import { inFile } from '../read/segments/index.ts'
import {
  type IndexState,
  type Manifest,
  type SegmentState,
  type State,
  segmentPath,
  upgradeAdvice,
  upgradeDue,
  upgradeNote,
  VERSION,
} from '../store/catalog/index.ts'
import { profileNamed } from '../store/layers/index.ts'
import type { FileSystem } from '../store/storage/index.ts'
import { ANALYSIS_VERSION } from '../text/index.ts'

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

/** Indexes that have a segment of an older analysis. @throws StorageError `version` */
export const oldIndexes = (fs: FileSystem, { indexes }: State): readonly IndexState[] =>
  [...indexes.values()].filter(({ segments }) =>
    [...segments.values()].some((segment) => isOld(fs, segment)),
  )

function isOld(fs: FileSystem, segment: SegmentState): boolean {
  const { kind, analysis: read } = profileNamed(segment.layer)
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
