// Explains the bytes of an id set line by line, for golden files and fuzzing.
import type { Note } from '../annotate/index.ts'
import { ByteReader } from '../bytes/index.ts'
import { decodeIdSet } from './codec-v1.ts'
import { ARRAY_IDS_MAX, BITMAP_BYTES } from './limits.ts'

/** Explains a sound set. Notes are in order and cover every byte. @throws CorruptionError */
export function idSetNotes(bytes: Uint8Array): readonly Note[] {
  decodeIdSet(bytes)
  const reader = new ByteReader(bytes, 'idset')
  const notes: Note[] = []
  /** Explains the bytes read since the last note. */
  const note = (text: string) => notes.push({ from: notes.at(-1)?.to ?? 0, to: reader.at, text })
  reader.u32()
  note('cookie: no run containers')
  const containers = reader.u32()
  note(`${containers} containers`)
  const counts: number[] = []
  for (let i = 0; i < containers; i++) {
    const key = reader.u16()
    counts.push(reader.u16() + 1)
    note(`key ${key}, ${counts[i]} ids`)
  }
  for (let i = 0; i < containers; i++) {
    const at = reader.u32()
    note(`container ${i} at ${at}`)
  }
  counts.forEach((count, i) => {
    const isArray = count <= ARRAY_IDS_MAX
    reader.take(isArray ? count * 2 : BITMAP_BYTES)
    note(`container ${i}: ${isArray ? 'an array' : 'a bitmap'}`)
  })
  return notes
}
