// The vectors that one document has of one embedder, and the encoding of all entries of a document
// that a batch passes to the thread that builds a segment · ./VECTORS.md "Entries"
//
//   count varint · (name, dimensions, flags, rows, fragments, stored rows) × count
import { ByteReader, ByteWriter, decoder, encoder } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { type RowForm, readRow, readShownRow, rowBytes, writeRow } from './rows.ts'

export type VectorEntry = {
  readonly embedder: string
  readonly dimensions: number
  readonly form: RowForm
  /**
   * The document brought its vectors, or states that it has none. If false, the embedder computes
   * them.
   */
  readonly isOwn: boolean
  /** The vectors are computed again when the text of the document changes. */
  readonly regenerates: boolean
  readonly rows: number
  /** By row, the fragment it was computed from; null if rows have no fragments. */
  readonly fragments: Uint8Array | null
  /** The rows as they are stored, concatenated. */
  readonly stored: Uint8Array
}

export const ENTRY_OWN = 1
export const ENTRY_REGENERATES = 2
/** Flag in a segment: the document has an entry. */
export const ENTRY_PRESENT = 4
const NIBBLES = 8
const FRAGMENTS = 16

export const NO_ENTRIES = new Uint8Array(0)

/** Encodes vectors as stored rows, concatenated. */
export function storedRows(
  form: RowForm,
  dimensions: number,
  vectors: readonly Float32Array[],
): Uint8Array {
  const each = rowBytes(form, dimensions)
  const out = new Uint8Array(each * vectors.length)
  vectors.forEach((vector, i) => {
    assert(vector.length === dimensions, 'vectors of an embedder have its dimensions')
    writeRow(form, vector, out, i * each)
  })
  return out
}

export function encodeEntries(entries: readonly VectorEntry[]): Uint8Array {
  if (entries.length === 0) return NO_ENTRIES
  const out = new ByteWriter(64)
  out.varint(entries.length)
  for (const { embedder, dimensions, form, rows, fragments, stored, ...flags } of entries) {
    assert(stored.length === rows * rowBytes(form, dimensions), 'an entry holds its rows')
    assert(fragments === null || fragments.length === rows, 'each row has a fragment')
    const name = encoder.encode(embedder)
    out.varint(name.length)
    out.bytes(name)
    out.varint(dimensions)
    out.u8(
      (flags.isOwn ? ENTRY_OWN : 0) |
        (flags.regenerates ? ENTRY_REGENERATES : 0) |
        (form === 'nibbles' ? NIBBLES : 0) |
        (fragments === null ? 0 : FRAGMENTS),
    )
    out.varint(rows)
    if (fragments !== null) out.bytes(fragments)
    out.bytes(stored)
  }
  return out.finish()
}

/** Decodes entries; their rows are views of `bytes`. @throws CorruptionError */
export function decodeEntries(bytes: Uint8Array): readonly VectorEntry[] {
  if (bytes.length === 0) return []
  const reader = new ByteReader(bytes, 'entries')
  const entries: VectorEntry[] = []
  for (let left = reader.varint(); left > 0; left--) {
    const embedder = decoder.decode(reader.take(reader.varint()))
    const dimensions = reader.varint()
    const flags = reader.u8()
    const rows = reader.varint()
    const form = (flags & NIBBLES) === 0 ? 'floats' : 'nibbles'
    entries.push({
      embedder,
      dimensions,
      form,
      isOwn: (flags & ENTRY_OWN) !== 0,
      regenerates: (flags & ENTRY_REGENERATES) !== 0,
      rows,
      fragments: (flags & FRAGMENTS) === 0 ? null : reader.take(rows),
      stored: reader.take(rows * rowBytes(form, dimensions)),
    })
  }
  return entries
}

/** Returns the vectors of an entry in the form shown to clients. */
export const shownVectors = (entry: VectorEntry): readonly Float32Array[] =>
  vectorsOf(entry, readShownRow)

/** Returns the vectors of an entry in the form used for comparisons. */
export const comparedVectors = (entry: VectorEntry): readonly Float32Array[] =>
  vectorsOf(entry, readRow)

const vectorsOf = (
  { form, dimensions, rows, stored }: VectorEntry,
  read: typeof readRow,
): readonly Float32Array[] =>
  Array.from({ length: rows }, (_, row) => {
    const vector = new Float32Array(dimensions)
    read(form, stored, row * rowBytes(form, dimensions), vector)
    return vector
  })
