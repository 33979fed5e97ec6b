// The versions of all formats in the files of a database, for tests: read from the bytes alone, so
// that they say what a build wrote and not what this one believes.
import { decode } from '@msgpack/msgpack'
import { COLUMNS_KIND, columnsAnalysis } from '../../format/columns/index.ts'
import { Frame } from '../../format/frame/index.ts'
import { readLog } from '../../format/log/index.ts'
import { TAGS } from '../../format/manifest/encode-v1.ts'
import { decodeEdit } from '../../format/manifest/index.ts'
import { readTextMeta, TEXT_KIND } from '../../format/postings/index.ts'
import { profileNamed } from '../store/layers/index.ts'

/** Path → content. */
export type DatabaseFiles = ReadonlyMap<string, Uint8Array>

/** Returns names like `frame`, `TEXT/META` or `TEXT analysis` with all versions that occur. */
export function versionsIn(files: DatabaseFiles): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>()
  const add = (name: string, version: number): void => {
    found.set(name, (found.get(name) ?? new Set()).add(version))
  }
  for (const [path, bytes] of files) {
    if (/^manifest-\d+\.log$/.test(path)) {
      add('log', versionOfHeader(bytes))
      readLog(bytes, 'MANI', ({ payload }) => addEdit(payload, files, add))
    } else if (/^tasks\/tasks-\d+\.log$/.test(path)) {
      add('log', versionOfHeader(bytes))
      readLog(bytes, 'TASK', ({ payload }) => add('task record', payload[0]!))
    }
  }
  return found
}

type Add = (name: string, version: number) => void

/** Logs and frames have their version at the same place. */
const versionOfHeader = (bytes: Uint8Array): number => bytes[8]! | (bytes[9]! << 8)

function addEdit(payload: Uint8Array, files: DatabaseFiles, add: Add): void {
  const [version, , , rows] = decode(payload) as [number, number, number, unknown[][]]
  add('edit', version)
  for (const [tag, ...values] of rows) {
    const bytes = values.find((value) => value instanceof Uint8Array)
    if (tag === TAGS['tombstones-added']) add('tombstones', bytes![0]!)
  }
  for (const change of decodeEdit(payload).changes) {
    if (change.kind === 'value-set' && change.space === 'keys' && change.value !== null) {
      add('key', (decode(change.value) as number[])[0]!)
    }
    if (change.kind !== 'segment-added') continue
    const { layer, segment, location } = change
    const { kind } = profileNamed(layer)
    const name = `segments/${String(segment).padStart(6, '0')}.`
    const path = [...files.keys()].find((one) => one.startsWith(name))
    const bytes = location.kind === 'inline' ? location.frame : files.get(path ?? '')
    // A later edit has removed the segment, and its file is gone.
    if (bytes === undefined) continue
    add('frame', versionOfHeader(bytes))
    const frame = Frame.open(bytes, kind, name)
    for (const { tag, version: section } of frame.sections) add(`${kind}/${tag}`, section)
    if (kind === TEXT_KIND) add('TEXT analysis', readTextMeta(frame).analysis)
    if (kind === COLUMNS_KIND) add('COLS analysis', columnsAnalysis(frame))
  }
}
