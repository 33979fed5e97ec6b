// Explains the bytes of a documents frame, for golden files.
import type { Note } from '../annotate/index.ts'
import { decoder } from '../bytes/index.ts'
import { Frame } from '../frame/index.ts'
import { frameNotes, type SectionNotes } from '../frame/test-notes.ts'
import type { Decompress } from './blocks-v1.ts'
import { DocumentsReader } from './reader-v1.ts'
import { DOCUMENTS_KIND } from './writer-v1.ts'

/** Explains a whole frame; a compressed block is one note. @throws CorruptionError */
export function documentsNotes(bytes: Uint8Array, decompress: Decompress): readonly Note[] {
  const frame = Frame.open(bytes, DOCUMENTS_KIND)
  const reader = DocumentsReader.open(frame, decompress)
  const runs = frame.section('RUNS').u32()
  const slots = frame.section('XHSH').u32()
  const inside: SectionNotes = new Map([
    ...blockNotes(frame, reader),
    ['RUNS', entries(8, runs.length / 2, (r) => runText(runs, r))],
    ...externalIdNotes(frame),
    ['XHSH', entries(4, slots.length, (slot) => `XHSH slot ${slot}: ${slotText(slots[slot]!)}`)],
  ])
  return frameNotes(bytes, DOCUMENTS_KIND, inside)
}

/** Returns a note for each of `count` entries of the same length. */
const entries = (size: number, count: number, text: (entry: number) => string): Note[] =>
  Array.from({ length: count }, (_, i) => ({ from: i * size, to: (i + 1) * size, text: text(i) }))

const runText = (runs: Uint32Array, r: number): string =>
  `RUNS ids from ${runs[r * 2]}, positions from ${runs[r * 2 + 1]}`

const slotText = (slot: number): string =>
  slot === 0 ? 'free' : `position ${(slot & 0xffffff) - 1}, hash ${(slot >>> 24).toString(16)}…`

function blockNotes(frame: Frame, { blocks }: DocumentsReader): [string, Note[]][] {
  const words = frame.section('BIDX').u32()
  const data = Array.from({ length: blocks.count }, (_, block) => {
    const [raw, from] = words.subarray(block * 4 + 1, block * 4 + 3)
    const to = words[block * 4 + 6]!
    const how = to - from! === raw ? 'as it is' : 'compressed'
    return { from: from!, to, text: `BLKS block ${block}, ${how}` }
  })
  const index = entries(16, blocks.count + 1, (block) => {
    const [position, raw, offset] = words.subarray(block * 4, block * 4 + 3)
    if (block === blocks.count) return `BIDX end: ${position} documents, ${offset} bytes`
    return `BIDX position ${position}, ${raw} bytes before, at ${offset}`
  })
  return [
    ['BLKS', data],
    ['BIDX', index],
  ]
}

function externalIdNotes(frame: Frame): [string, Note[]][] {
  const { bytes } = frame.section('XIDS')
  const ends = [...frame.section('XEND').u32()]
  const ids = ends.map((to, position) => {
    const from = ends[position - 1] ?? 0
    return { from, to, text: `XIDS ${position}: "${decoder.decode(bytes.subarray(from, to))}"` }
  })
  return [
    ['XIDS', ids],
    ['XEND', entries(4, ends.length, (position) => `XEND ${position}: ${ends[position]}`)],
  ]
}
