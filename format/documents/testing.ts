// For tests and fuzzing only: a plain stand-in for the compressor, and frames taken apart and put together again.
import { CorruptionError, refuse } from '../errors.ts'
import { encodeFrame, Frame } from '../frame/index.ts'
import { DOCUMENTS_KIND } from './writer-v1.ts'

const RUN_MIN = 4

/** Runs of one byte become 255, count, byte; a byte 255 becomes 255, 0. */
export function compressRuns(bytes: Uint8Array): Uint8Array {
  const out: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at]!
    let run = 1
    while (run < 255 && bytes[at + run] === byte) run++
    if (run >= RUN_MIN && byte !== 255) out.push(255, run, byte)
    else for (let i = 0; i < run; i++) out.push(...(byte === 255 ? [255, 0] : [byte]))
    at += run
  }
  return Uint8Array.from(out)
}

/** @throws CorruptionError when the outcome has another length */
export function decompressRuns(bytes: Uint8Array, length: number): Uint8Array {
  const out: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte !== 255) out.push(byte)
    else if (bytes[++at] === 0) out.push(255)
    else for (let i = bytes[at]!, value = bytes[++at]!; i > 0; i--) out.push(value)
    if (out.length > length) refuse('runs', at, 'bad_length', length, out.length)
  }
  if (out.length !== length)
    throw new CorruptionError('bad_length', { section: 'runs', offset: 0 }, length, out.length)
  return Uint8Array.from(out)
}

/** The sections of a frame by tag, in order. */
export const sectionsOf = (bytes: Uint8Array): Map<string, Uint8Array> =>
  new Map(
    [...Frame.open(bytes, DOCUMENTS_KIND).sections].map(({ tag, bytes }) => [tag, bytes.slice()]),
  )

/** A frame of these sections, with checksums that hold. */
export const reframed = (sections: ReadonlyMap<string, Uint8Array>): Uint8Array =>
  encodeFrame(DOCUMENTS_KIND, (frame) => {
    for (const [tag, bytes] of sections) frame.section(tag, 1, bytes)
  })
