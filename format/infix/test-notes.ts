// Explains the bytes of a section, for golden files.
import type { Note } from '../annotate/index.ts'
import { ByteReader } from '../bytes/index.ts'
import { Fst, FstCursor } from '../fst/index.ts'
import { fstNotes } from '../fst/inspect.ts'

/** Explains a sound section. `terms`: by ordinal. @throws CorruptionError */
export function infixNotes(bytes: Uint8Array, terms: readonly string[]): readonly Note[] {
  const reader = new ByteReader(bytes, 'INFX')
  const notes: Note[] = []
  const note = (text: string) => notes.push({ from: notes.at(-1)?.to ?? 0, to: reader.at, text })
  const fields = reader.u32()
  note(`INFX: ${fields} fields`)
  const grams = reader.u32()
  note(`${grams} grams`)
  const dictionaryBytes = reader.u32()
  note(`dictionary of ${dictionaryBytes} bytes`)
  reader.u32()
  note('reserved')
  for (let i = 0; i < fields; i++) note(`field ${reader.u32()}`)
  const offsets: number[] = []
  for (let i = 0; i <= grams; i++) {
    offsets.push(reader.u32())
    note(i === grams ? `lists are ${offsets[i]} bytes long` : `list ${i} at ${offsets[i]}`)
  }
  const dictionary = reader.take(dictionaryBytes)
  const begin = notes.at(-1)!.to
  for (const { from, to, text } of fstNotes(dictionary)) {
    notes.push({ from: begin + from, to: begin + to, text })
  }
  const cursor = new FstCursor(new Fst(dictionary))
  for (let gram = 0; cursor.next(); gram++) {
    const words: string[] = []
    let ordinal = -1
    for (const end = notes.at(-1)!.to + offsets[gram + 1]! - offsets[gram]!; reader.at < end; ) {
      ordinal += reader.varint() + 1
      words.push(terms[ordinal]!)
    }
    note(`"${Buffer.from(cursor.bytes.subarray(0, cursor.length))}": ${words.join(', ')}`)
  }
  return notes
}
