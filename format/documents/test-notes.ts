// Explains the bytes of a documents frame, for golden files and fuzzing.
import type { Note } from '../annotate/index.ts'
import { decoder } from '../bytes/index.ts'
import { Frame, type Section } from '../frame/index.ts'
import type { Decompress } from './blocks-v1.ts'
import { DocumentsReader } from './reader-v1.ts'
import { DOCUMENTS_KIND } from './writer-v1.ts'

const FOOTER_BYTES = 32
const SECTION_ENTRY_BYTES = 32

/** Explains a whole frame; a compressed block is one note. @throws CorruptionError */
export function documentsNotes(bytes: Uint8Array, decompress: Decompress): readonly Note[] {
  const frame = Frame.open(bytes, DOCUMENTS_KIND)
  const reader = DocumentsReader.open(frame, decompress)
  const notes: Note[] = [{ from: 0, to: 16, text: 'header: DOCS, version 1' }]
  const add = (section: Section, at: number, length: number, text: string): void => {
    if (length > 0) {
      notes.push({ from: section.offset + at, to: section.offset + at + length, text })
    }
  }
  blockNotes(frame, reader, add)
  const runs = frame.section('RUNS').u32()
  for (let r = 0; r * 2 < runs.length; r++) {
    const text = `RUNS ids from ${runs[r * 2]}, positions from ${runs[r * 2 + 1]}`
    add(frame.section('RUNS'), r * 8, 8, text)
  }
  externalIdNotes(frame, add)
  return [...notes, ...tailNotes(bytes, frame)].sort((a, b) => a.from - b.from)
}

type Add = (section: Section, at: number, length: number, text: string) => void

function blockNotes(frame: Frame, reader: DocumentsReader, add: Add): void {
  const data = frame.section('BLKS')
  const index = frame.section('BIDX')
  const words = index.u32()
  const { blocks } = reader
  for (let block = 0; block <= blocks.count; block++) {
    const [position, raw, offset] = words.subarray(block * 4, block * 4 + 3)
    if (block === blocks.count) {
      add(index, block * 16, 16, `BIDX end: ${position} documents, ${offset} bytes`)
      return
    }
    add(index, block * 16, 16, `BIDX position ${position}, ${raw} bytes before, at ${offset}`)
    const length = words[block * 4 + 6]! - offset!
    const how = length === raw ? 'as it is' : 'compressed'
    add(data, offset!, length, `BLKS block ${block}, ${how}`)
  }
}

function externalIdNotes(frame: Frame, add: Add): void {
  const ids = frame.section('XIDS')
  const ends = frame.section('XEND').u32()
  for (let position = 0; position < ends.length; position++) {
    const from = position === 0 ? 0 : ends[position - 1]!
    const id = decoder.decode(ids.bytes.subarray(from, ends[position]!))
    add(ids, from, ends[position]! - from, `XIDS ${position}: "${id}"`)
    add(frame.section('XEND'), position * 4, 4, `XEND ${position}: ${ends[position]}`)
  }
  const slots = frame.section('XHSH').u32()
  for (let slot = 0; slot < slots.length; slot++) {
    const s = slots[slot]!
    const meaning =
      s === 0 ? 'free' : `position ${(s & 0xffffff) - 1}, hash ${(s >>> 24).toString(16)}…`
    add(frame.section('XHSH'), slot * 4, 4, `XHSH slot ${slot}: ${meaning}`)
  }
}

function tailNotes(bytes: Uint8Array, frame: Frame): Note[] {
  const sections = [...frame.sections]
  const footer = bytes.length - FOOTER_BYTES
  const pages = Math.ceil(
    new DataView(bytes.buffer, bytes.byteOffset).getUint32(footer, true) / 16384,
  )
  const table = footer - pages * 4 - sections.length * SECTION_ENTRY_BYTES
  return [
    ...sections.map(({ tag }, i) => ({
      from: table + i * SECTION_ENTRY_BYTES,
      to: table + (i + 1) * SECTION_ENTRY_BYTES,
      text: `table: ${tag}`,
    })),
    { from: footer - pages * 4, to: footer, text: 'page checksums' },
    { from: footer, to: bytes.length, text: 'footer' },
  ]
}
