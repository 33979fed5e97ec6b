// Names of the files of a database folder. FOLDER.md shows the folder.
import type { SegmentNo } from '../../../format/ids.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import { hasExtension, profileNamed } from '../layers/index.ts'

export const LOCK = 'LOCK'
export const VERSION = 'VERSION'
export const CURRENT = 'CURRENT'
export const CLOSED = 'CLOSED'
export const IDENTITY = 'IDENTITY'
export const IMPORTING = 'IMPORTING'
/** Folders in which a dump is unpacked and written. */
export const IMPORT_FOLDER = 'import'
export const DUMP_FOLDER = 'dump'
export const SEGMENTS = 'segments'
export const TASKS = 'tasks'
export const BODIES = 'tasks/bodies'
/** Work folder of a snapshot; emptied at start. Does not exist before the first snapshot. */
export const STAGING = 'staging'

/**
 * Work folder of a state that is being published; emptied at start. Does not exist before the first
 * one.
 */
export const PUBLISHING = 'publishing'
/**
 * Task logs of the database that this one follows, a folder each. Does not exist without a leader.
 */
export const FOLLOWING = 'following'

/** Who the folder is for the writers of an object store. Exists once it has written to one. */
export const PUBLISHER = 'PUBLISHER'
/** Writes that were acknowledged here and never published; see docs/followers.md. */
export const UNPUBLISHED = 'unpublished'
/** The list of requests in a folder of such writes. */
export const UNPUBLISHED_LIST = 'requests.ndjson'

/** All folders of a database inside its root, parents first. */
export const FOLDERS: readonly string[] = [SEGMENTS, TASKS, BODIES]

const MANIFEST = /^manifest-(\d{6,16})\.log$/
const DIGITS = 6
const ENTRIES: ReadonlySet<string> = new Set([
  LOCK,
  VERSION,
  CURRENT,
  CLOSED,
  IDENTITY,
  IMPORTING,
  IMPORT_FOLDER,
  DUMP_FOLDER,
  STAGING,
  PUBLISHING,
  FOLLOWING,
  PUBLISHER,
  UNPUBLISHED,
  SEGMENTS,
  TASKS,
])

/** At least six digits, so names sort by number up to 999,999. */
const padded = (number: number): string => String(number).padStart(DIGITS, '0')

export const manifestName = (number: number): string => `manifest-${padded(number)}.log`

/** Returns the number in the name of a manifest, or null for any other name. */
export function manifestNumber(name: string): number | null {
  const match = MANIFEST.exec(name)
  if (match === null) return null
  const number = Number(match[1])
  return manifestName(number) === name ? number : null
}

/** Returns true if an entry of a database folder is part of the database, by its name. */
export const isDatabaseEntry = (name: string): boolean =>
  ENTRIES.has(name.replace(/\.new$/, '')) || MANIFEST.test(name.replace(/\.new$/, ''))

/** Returns the name of a segment's file in its folder. */
export const segmentName = (segment: SegmentNo, layer: Layer): string =>
  `${padded(segment)}.${profileNamed(layer).extension}`

/** Returns the path of a segment's file in the database folder. */
export const segmentPath = (segment: SegmentNo, layer: Layer): string =>
  `${SEGMENTS}/${segmentName(segment, layer)}`

const SEGMENT = /^segments\/\d{6,16}\.([a-z]+)$/

/**
 * Returns true if a path of the database folder is that of a segment's file of an existing layer.
 */
export function isSegmentPath(path: string): boolean {
  const extension = SEGMENT.exec(path)?.[1]
  return extension !== undefined && hasExtension(extension)
}
