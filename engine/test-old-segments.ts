// Databases made old: their text and columns segments as builds wrote them that did not note the
// analysis. For tests.
import { encodeFrame, Frame } from '../format/frame/index.ts'
import type { Change } from '../format/manifest/index.ts'
import { openManifest, type SegmentState, segmentPath, writeVersion } from './catalog/index.ts'
import { SegmentSink } from './indexer/index.ts'
import { drawMark, type FileSystem } from './storage/index.ts'

const OPTIONS = { version: '1.50.0', upgrade: false, drawMark }

/** Makes all segments old, and the release. Nobody else has the database open. */
export async function age(fs: FileSystem, release = '1.50.0'): Promise<void> {
  const manifest = await openManifest(fs, OPTIONS)
  const changes: Change[] = []
  for (const { index, segments } of manifest.state.indexes.values()) {
    for (const segment of segments.values()) {
      if (segment.layer === 'documents') continue
      const made = agedSegment(fs, segment, manifest.takeSegment())
      changes.push({ kind: 'segment-removed', index, segment: segment.segment })
      changes.push({ kind: 'segment-added', index, ...made })
    }
  }
  await manifest.commit(changes)
  await manifest.close()
  await writeVersion(fs, release)
}

function agedSegment(fs: FileSystem, old: SegmentState, segment: number) {
  const { layer, documents, idMin, idMax, location, bytes } = old
  const frame =
    location.kind === 'inline' ? location.frame : fs.map(segmentPath(old.segment, layer), bytes)
  const sink = new SegmentSink(fs, segment, layer)
  sink.write(aged(frame, layer === 'text' ? 'TEXT' : 'COLS'))
  return sink.finish(documents, idMin, idMax)
}

function aged(bytes: Uint8Array, kind: 'TEXT' | 'COLS'): Uint8Array {
  return encodeFrame(kind, (writer) => {
    for (const section of Frame.open(bytes, kind).sections) {
      if (section.tag === 'ANLY') continue
      const own = section.bytes.slice()
      if (section.tag === 'META') own.fill(0, 20, 24)
      writer.section(section.tag, 1, own)
    }
  })
}
