// Explains the bytes of a frame line by line, for golden files. A section is one line if the notes
// of its own format do not explain its content.
import type { Note } from '../annotate/index.ts'
import { ByteReader } from '../bytes/index.ts'
import { ENTRY_BYTES, FOOTER_BYTES, type Tag } from './layout-v1.ts'
import { Frame } from './reader-v1.ts'

const hex = (n: number): string => n.toString(16).padStart(8, '0')

/** The content of sections: notes with offsets in the section. */
export type SectionNotes = ReadonlyMap<Tag, readonly Note[]>

/**
 * Explains a sound frame. Notes are in order and cover every byte, if those of `inside` do.
 * @throws CorruptionError, VersionError
 */
export function frameNotes(
  bytes: Uint8Array,
  kind: Tag,
  inside: SectionNotes = new Map(),
): readonly Note[] {
  const frame = Frame.open(bytes, kind)
  const notes: Note[] = []
  let at = 0
  const note = (length: number, text: string): void => {
    notes.push({ from: at, to: at + length, text })
    at += length
  }
  note(4, 'magic "SVCF"')
  note(4, `kind ${kind}`)
  note(2, 'version 1')
  note(6, 'reserved')
  for (const { tag, version, offset, length } of frame.sections) {
    if (offset > at) note(offset - at, 'padding')
    const content = inside.get(tag) ?? [
      { from: 0, to: length, text: `section ${tag}, version ${version}` },
    ]
    for (const { from, to, text } of content) if (to > from) note(to - from, text)
  }
  const footer = new ByteReader(bytes, kind, bytes.length - FOOTER_BYTES)
  const tableOffset = footer.u64()
  const sections = footer.u32()
  const pages = footer.u32()
  for (const { tag, version, offset, length, checksum } of frame.sections) {
    note(ENTRY_BYTES / 2, `table: ${tag}, version ${version}, at ${offset}`)
    note(ENTRY_BYTES / 2, `  ${length} bytes, checksum ${hex(checksum)}`)
  }
  for (let page = 0; page < pages; page++) note(4, `checksum of page ${page}`)
  note(8, `footer: the table begins at ${tableOffset}`)
  note(4, `  ${sections} sections`)
  note(4, `  ${pages} pages`)
  note(8, `  the frame is ${bytes.length} bytes long`)
  note(4, '  checksum of both tables and the footer so far')
  note(4, '  magic "FCVS"')
  return notes
}
