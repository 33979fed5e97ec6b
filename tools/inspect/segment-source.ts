// Finds the segment of a command: any file, or a number in a database, where small segments are
// inside the manifest.

import type { FileSystem } from '../../engine/index.ts'
import {
  type IndexState,
  layerOfKind,
  readDatabase,
  type SegmentLayer,
  type SegmentState,
  segmentPath,
} from '../../engine/inspect.ts'
import { Frame } from '../../format/frame/index.ts'
import type { SegmentNo } from '../../format/ids.ts'
import { ToolError } from '../terminal/index.ts'
import { mapWholeFile, openDatabaseFolder } from './open-database.ts'

/**
 * A file, a segment of a database by its number, or the only segment of an index, optionally in a
 * given layer.
 */
export type SegmentChoice =
  | { readonly file: string }
  | { readonly db: string; readonly segment: SegmentNo }
  | { readonly db: string; readonly index: string; readonly layer: string | null }

export type SegmentSource = {
  /** Name of the segment in messages: its path, or its position in the manifest. */
  readonly label: string
  readonly bytes: Uint8Array
  /** Four letters from the header, even if they are unknown. */
  readonly kind: string
  /** Field id → name; null if the segment was named by its file. */
  readonly fields: readonly string[] | null
  readonly state: SegmentState | null
}

/** @throws ToolError, StorageError */
export function openSegment(choice: SegmentChoice): SegmentSource {
  if ('file' in choice) {
    const bytes = mapWholeFile(choice.file)
    const kind = kindOf(bytes, choice.file)
    return { label: choice.file, bytes, kind, fields: null, state: null }
  }
  const fs = openDatabaseFolder(choice.db)
  const database = readDatabase(fs)
  if ('index' in choice) {
    const { index, state } = onlySegment(database.state.indexes.values(), choice)
    return sourceOf(fs, database.path, index, state)
  }
  for (const index of database.state.indexes.values()) {
    const state = index.segments.get(choice.segment)
    if (state !== undefined) return sourceOf(fs, database.path, index, state)
  }
  const advice = 'svc-tools manifest state lists them'
  throw new ToolError(`the database has no segment ${choice.segment}: ${advice}`)
}

/** @throws ToolError that lists the segments to choose from */
function onlySegment(
  indexes: Iterable<IndexState>,
  { index: uid, layer }: { readonly index: string; readonly layer: string | null },
): { readonly index: IndexState; readonly state: SegmentState } {
  const index = [...indexes].find((candidate) => candidate.uid === uid)
  if (index === undefined) throw new ToolError(`there is no index \`${uid}\` in the database`)
  const all = [...index.segments.values()]
  const found = layer === null ? all : all.filter((state) => state.layer === layer)
  const [state] = found
  const what = layer === null ? 'segments' : `${layer} segments`
  if (state === undefined) throw new ToolError(`the index \`${uid}\` has no ${what}`)
  if (found.length === 1) return { index, state }
  const names = found.map(({ segment, layer: kind }) => `${segment} (${kind})`).join(', ')
  throw new ToolError(
    `the index \`${uid}\` has several ${what}: ${names}; choose one with --segment NUMBER`,
  )
}

function sourceOf(
  fs: FileSystem,
  manifest: string,
  index: IndexState,
  state: SegmentState,
): SegmentSource {
  const { label, bytes } = segmentBytes(fs, manifest, state)
  return { label, bytes, kind: kindOf(bytes, label), fields: index.fields, state }
}

/** Returns the bytes of a segment of the database. @throws StorageError */
export function segmentBytes(
  fs: FileSystem,
  manifest: string,
  state: SegmentState,
): { readonly label: string; readonly bytes: Uint8Array } {
  const label = segmentLabel(manifest, state)
  if (state.location.kind === 'inline') return { label, bytes: state.location.frame }
  return { label, bytes: fs.map(label, state.bytes) }
}

/** Returns the path of a segment's file, or its position in the manifest. */
export function segmentLabel(manifest: string, state: SegmentState): string {
  const { segment, layer, location } = state
  if (location.kind === 'file') return segmentPath(segment, layer)
  return `${manifest} (segment ${segment}, ${layer})`
}

function kindOf(bytes: Uint8Array, label: string): string {
  const letters = String.fromCharCode(...bytes.subarray(0, 8))
  if (letters.startsWith('SVCF')) return letters.slice(4, 8)
  const advice = letters.startsWith('SVCL') ? ': svc-tools log print reads logs' : ''
  throw new ToolError(`\`${label}\` is not a segment: it does not begin with SVCF${advice}`)
}

/** Returns the layer for the segment's kind of frame. @throws ToolError */
export function layerOf(source: SegmentSource): SegmentLayer {
  const layer = layerOfKind(source.kind)
  if (layer !== null) return layer
  throw new ToolError(`\`${source.label}\` is of the unknown kind ${JSON.stringify(source.kind)}`)
}

/** Returns the unverified frame of a segment. @throws ToolError, CorruptionError, VersionError */
export const frameOf = (source: SegmentSource): Frame =>
  Frame.open(source.bytes, layerOf(source).kind, source.label)
