// Any bytes opened as a frame: a typed error, or sections that are inside the frame, do not
// overlap, and can be read by every method. If the first byte is odd, the checksum of the tail is
// corrected, so inputs reach the checks of the tables. Page: format/frame/FRAME.md

import { crc32 } from 'node:zlib'
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import { FRAME_PAGE_BYTES, Frame } from '../format/frame/index.ts'
import { frameNotes } from '../format/frame/test-notes.ts'
import { encodeFrame } from '../format/frame/writer-v1.ts'
import type { FuzzTarget } from './target.ts'

const KIND = 'FUZZ'
const FOOTER_BYTES = 32

export const target: FuzzTarget = {
  name: 'frame',
  seeds: () => [0, 1].flatMap((first) => frames().map((frame) => Uint8Array.of(first, ...frame))),
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 40_000,
}

const frames = (): Uint8Array[] => [
  encodeFrame(KIND, () => undefined),
  encodeFrame(KIND, (writer) => {
    writer.section('AAAA', 1, Uint8Array.of(1, 2, 3, 4, 5))
    writer.section('NONE', 2, new Uint8Array(0))
    writer.section('BBBB', 1, new Uint8Array(17).fill(7))
  }),
  encodeFrame(KIND, (writer) => {
    writer.section('LONG', 1, new Uint8Array(FRAME_PAGE_BYTES + 5).fill(9))
    writer.section('TAIL', 1, Uint8Array.of(1))
  }),
]

function run(input: Uint8Array): void {
  const bytes = input.subarray(1)
  if ((input[0] ?? 0) % 2 === 1) repairTail(bytes)
  const frame = Frame.open(bytes, KIND)
  let end = 16
  for (const section of frame.sections) {
    assert(section.offset >= end, 'sections follow each other')
    end = section.offset + section.length
    assert(end <= bytes.length, 'a section lies inside the frame')
    assert(frame.has(section.tag), 'a section is found by its tag')
    assert(section.u32().length === section.length >>> 2, 'all whole numbers are there')
    assert(section.f64().length === section.length >>> 3, 'all whole floats are there')
  }
  const notes = frameNotes(bytes, KIND)
  assert(notes.at(-1)!.to === bytes.length, 'every byte is explained')
  frame.verifyAll()
  for (const section of frame.sections) section.all()
}

/** Corrects end magic, length and checksum; the tables keep their content. */
function repairTail(bytes: Uint8Array): void {
  const footer = bytes.length - FOOTER_BYTES
  if (footer < 16) return
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  view.setUint32(footer + 16, bytes.length, true)
  view.setUint32(footer + 20, 0, true)
  view.setUint32(footer + 28, 0x53564346, true)
  const tableOffset = view.getUint32(footer, true)
  if (tableOffset > footer) return
  view.setUint32(footer + 24, crc32(bytes.subarray(tableOffset, footer + 24)), true)
}
