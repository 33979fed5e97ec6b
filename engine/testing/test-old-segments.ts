// Turns a database into an old one for tests: rewrites its text and columns segments as builds
// wrote them that did not record the analysis.

import { Frame, type Tag } from '../../format/frame/index.ts'
import { encodeFrame } from '../../format/frame/writer-v1.ts'
import { asSegmentNo } from '../../format/ids.ts'
import type { Change, Layer } from '../../format/manifest/index.ts'
import {
  openManifest,
  type SegmentState,
  segmentPath,
  writeVersion,
} from '../store/catalog/index.ts'
import { layerNamed } from '../store/layers/index.ts'
import { drawLogSalt, type FileSystem } from '../store/storage/index.ts'
import { SegmentSink } from '../write/indexer/index.ts'

const OPTIONS = { version: '1.50.0', upgrade: false, drawLogSalt }

/**
 * Gives all segments another analysis (0: not recorded), and the database another release. No other
 * process may have it open.
 */
export async function age(fs: FileSystem, release = '1.50.0', analysis = 0): Promise<void> {
  const manifest = await openManifest(fs, OPTIONS)
  const changes: Change[] = []
  for (const { index, segments } of manifest.state.indexes.values()) {
    for (const segment of segments.values()) {
      if (layerNamed(segment.layer).analysis === null) continue
      const made = agedSegment(fs, segment, manifest.takeSegment(), analysis)
      changes.push({ kind: 'segment-removed', index, segment: segment.segment })
      changes.push({ kind: 'segment-added', index, ...made })
    }
  }
  await manifest.commit(changes)
  await manifest.close()
  await writeVersion(fs, release)
}

/** Removes all segments of a layer, as if they were lost. The database must be closed. */
export async function dropLayer(fs: FileSystem, name: Layer): Promise<void> {
  const manifest = await openManifest(fs, OPTIONS)
  const changes: Change[] = []
  for (const { index, segments } of manifest.state.indexes.values()) {
    for (const { segment, layer } of segments.values()) {
      if (layer === name) changes.push({ kind: 'segment-removed', index, segment })
    }
  }
  await manifest.commit(changes)
  await manifest.close()
}

function agedSegment(fs: FileSystem, old: SegmentState, segment: number, analysis: number) {
  const { layer, documents, idMin, idMax, location, bytes } = old
  const frame =
    location.kind === 'inline' ? location.frame : fs.map(segmentPath(old.segment, layer), bytes)
  const sink = new SegmentSink(fs, asSegmentNo(segment), layer)
  sink.write(aged(frame, layerNamed(layer).kind, analysis))
  return sink.finish({ documents, idMin, idMax })
}

/** The analysis of values from which on elements have rows. */
const ROWS_SINCE = 7

function aged(bytes: Uint8Array, kind: Tag, analysis: number): Uint8Array {
  return encodeFrame(kind, (writer) => {
    for (const section of Frame.open(bytes, kind).sections) {
      if (section.tag === 'ANLY' && analysis === 0) continue
      if (section.tag === 'ELEM' && analysis < ROWS_SINCE) continue
      const own = section.bytes.slice()
      const view = new DataView(own.buffer, own.byteOffset, own.byteLength)
      if (section.tag === 'META') view.setUint32(20, analysis, true)
      if (section.tag === 'ANLY') view.setUint32(0, analysis, true)
      writer.section(section.tag, analysis === 0 ? 1 : section.version, own)
    }
  })
}
