// Upgrades of a database of an older release, or one whose segments have an older analysis version:
// determines what must be rebuilt, and whether that is allowed. The batch that does it is in
// `engine/task-kinds/database/upgrade-batch.ts`.
//
//   VERSION differs ─► openManifest notes it, writes VERSION ─┐
//   old segments ────► noteOldSegments notes it ──────────────┴► a task `upgradeDatabase`
//   the task: rebuilds the old layers of every index from the documents and replaces them in one
//   edit, which removes the note
//
// Documents, logs and the manifest have had only one layout so far; only data built from the
// documents can be old.

import { Frame, type LazyBytes } from '../../../format/frame/index.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import { inFile } from '../../read/segments/index.ts'
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
} from '../../store/catalog/index.ts'
import { profileNamed } from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'

/**
 * Notes that an upgrade is due if the database has segments of an older analysis version. Reads the
 * end of each text and columns segment, and a few pages of old ones with columns. @throws StorageError `version` if there are old segments
 * and `upgrade` is false, or if some are newer than this build
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

function oldSegmentsWords(old: readonly OldIndex[], version: string): string {
  const [first] = old
  const more = old.length === 1 ? '' : ` and ${old.length - 1} more`
  const words = `Your database holds segments of an older format (index \`${first!.index.uid}\`${more}),`
  const what = `which is incompatible with your current engine version (${version}).`
  return `${words} ${what}\n${upgradeAdvice()}`
}

/** An index with the layers that have a segment of an older analysis version. */
export type OldIndex = { readonly index: IndexState; readonly layers: readonly Layer[] }

type RoomFor = (bytes: number) => Uint8Array | null

/** @throws StorageError `version` */
export function oldIndexes(fs: FileSystem, { indexes }: State): readonly OldIndex[] {
  const roomFor = oneRoom()
  return [...indexes.values()].flatMap((index) => {
    const old = new Set<Layer>()
    for (const segment of index.segments.values()) {
      if (isOld(fs, segment, index.fields, roomFor)) old.add(segment.layer)
    }
    return old.size === 0 ? [] : [{ index, layers: [...old] }]
  })
}

/**
 * Returns a function that returns memory for one segment after another, the same for all, or null
 * if the system does not promise that much: a segment can be larger than the memory of the machine.
 * Bytes that are not used take none. V8 does not count shared memory; it would count mapped files,
 * and collect garbage at each start.
 */
function oneRoom(): RoomFor {
  let room = new SharedArrayBuffer(0)
  return (bytes) => {
    try {
      if (room.byteLength < bytes) room = new SharedArrayBuffer(bytes)
    } catch (error) {
      if (error instanceof RangeError) return null
      throw error
    }
    return new Uint8Array(room, 0, bytes)
  }
}

function isOld(
  fs: FileSystem,
  segment: SegmentState,
  names: readonly string[],
  roomFor: RoomFor,
): boolean {
  const { kind, analysis } = profileNamed(segment.layer)
  if (analysis === null) return false
  const path = segmentPath(segment.segment, segment.layer)
  let version = analysis.version
  let bytes: Uint8Array | LazyBytes = new Uint8Array(0)
  try {
    bytes = bytesOf(fs, path, segment, roomFor)
    version = inFile(path, () => analysis.of(Frame.open(bytes, kind, path), names))
  } catch (error) {
    // A damaged segment is reported when it is read; the other indexes still answer.
    if (!(error instanceof StorageError) || error.code === 'version') throw error
  } finally {
    if ('close' in bytes) bytes.close()
  }
  if (version > analysis.version) {
    const words = `\`${path}\` was made by analysis ${version}; this build has ${analysis.version}`
    throw new StorageError('version', path, `${words}. Downgrade is not supported`)
  }
  return version < analysis.version
}

function bytesOf(
  fs: FileSystem,
  path: string,
  { location, bytes: length }: SegmentState,
  roomFor: RoomFor,
): Uint8Array | LazyBytes {
  if (location.kind === 'inline') return location.frame
  const bytes = roomFor(length)
  if (bytes === null) return fs.mapFrame(path, length)
  const file = fs.open(path, 'read')
  const load = (from: number, to: number): void => {
    // Other segments have left bytes there, which a file that is too short does not replace.
    const target = bytes.subarray(from, to)
    target.fill(0, file.read(from, target))
  }
  return { bytes, load, loadedBytes: () => 0, close: () => file.close() }
}
