// Explains the bytes of a body file, for golden files and fuzzing.
import type { Note } from '../annotate/index.ts'
import { BODY_FOOTER_BYTES, documentsOfBody } from './body-v1.ts'

/** Explains a sound body. @throws CorruptionError */
export function bodyNotes(bytes: Uint8Array): readonly Note[] {
  const { length } = documentsOfBody(bytes)
  const documents: Note[] =
    length === 0 ? [] : [{ from: 0, to: length, text: `${length} bytes of documents` }]
  return [
    ...documents,
    { from: length, to: length + 4, text: 'magic "BODY"' },
    { from: length + 4, to: length + 8, text: 'reserved' },
    { from: length + 8, to: length + 12, text: 'checksum of the documents' },
    { from: length + 12, to: length + BODY_FOOTER_BYTES, text: `length ${length}` },
  ]
}
