// What the files of a database folder are called. ARCHITECTURE.md shows the folder.
import type { SegmentNo } from '../../../format/ids.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import { hasExtension, profileNamed } from '../layers/index.ts'

export const LOCK = 'LOCK'
export const VERSION = 'VERSION'
export const CURRENT = 'CURRENT'
export const CLOSED = 'CLOSED'
export const IMPORTING = 'IMPORTING'
/** Where a dump is unpacked, and where one is made. */
export const IMPORT_FOLDER = 'import'
export const DUMP_FOLDER = 'dump'
export const SEGMENTS = 'segments'
export const TASKS = 'tasks'
export const BODIES = 'tasks/bodies'
/** What a snapshot that is being made needs; emptied at start. Absent as long as there was none. */
export const STAGING = 'staging'

/** What a state that is being published needs; likewise. */
export const PUBLISHING = 'publishing'
/** Task logs of the database that this one follows, a folder each. Absent where it follows none. */
export const FOLLOWING = 'following'

/** All folders of a database but its own, parents first. */
export const FOLDERS: readonly string[] = [SEGMENTS, TASKS, BODIES]

const MANIFEST = /^manifest-(\d{6,16})\.log$/
const DIGITS = 6
const ENTRIES: ReadonlySet<string> = new Set([
  LOCK,
  VERSION,
  CURRENT,
  CLOSED,
  IMPORTING,
  IMPORT_FOLDER,
  DUMP_FOLDER,
  STAGING,
  PUBLISHING,
  FOLLOWING,
  SEGMENTS,
  TASKS,
])

/** Six digits, more when there are more: names sort by number for a long time. */
const padded = (number: number): string => String(number).padStart(DIGITS, '0')

export const manifestName = (number: number): string => `manifest-${padded(number)}.log`

/** The number of a manifest by its name, or null when it is no such name. */
export function manifestNumber(name: string): number | null {
  const match = MANIFEST.exec(name)
  if (match === null) return null
  const number = Number(match[1])
  return manifestName(number) === name ? number : null
}

/** Whether an entry of a database folder is part of the database, by its name. */
export const isDatabaseEntry = (name: string): boolean =>
  ENTRIES.has(name.replace(/\.new$/, '')) || MANIFEST.test(name.replace(/\.new$/, ''))

/** The name of a segment's file in its folder. */
export const segmentName = (segment: SegmentNo, layer: Layer): string =>
  `${padded(segment)}.${profileNamed(layer).extension}`

/** The path of a segment's file in the database folder. */
export const segmentPath = (segment: SegmentNo, layer: Layer): string =>
  `${SEGMENTS}/${segmentName(segment, layer)}`

const SEGMENT = /^segments\/\d{6,16}\.([a-z]+)$/

/** Whether a path of the database folder is that of a segment's file, of any layer there is. */
export function isSegmentPath(path: string): boolean {
  const extension = SEGMENT.exec(path)?.[1]
  return extension !== undefined && hasExtension(extension)
}
