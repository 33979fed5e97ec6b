// `_vectors` of a document as clients read it: first the stored members whose names are not
// embedders, then the vectors of every embedder of the index.
import { BRACE, BRACE_END, COLON, COMMA } from '../../../format/bytes/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { type JsonBuffer, Members, writeJsonString } from '../../../format/json/index.ts'
import {
  comparedVectors,
  entriesAt,
  shownVectors,
  type VectorEntry,
  writeVectorsJson,
} from '../../../format/vectors/index.ts'
import { type EmbedderSpec, embedderSpecs } from '../../settings/embedders/index.ts'
import { vectorsLayer } from '../../store/layers/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { writeText } from './json-text.ts'

export class DocumentVectorsWriter {
  readonly #view: SearchableView
  readonly #specs: readonly EmbedderSpec[]
  readonly #members = new Members()

  constructor(view: SearchableView) {
    this.#view = view
    this.#specs = embedderSpecs(view.settings.embedders)
  }

  /** Appends the object. `others`: the stored value of `_vectors`, or null if it is not shown. */
  write(id: DocId, others: Uint8Array | null, out: JsonBuffer): void {
    let count = 0
    const begin = (): void => {
      out.byte(count++ === 0 ? BRACE : COMMA)
    }
    if (others !== null) {
      const members = this.#members
      members.scan(others, 0)
      for (let i = 0; i < members.count; i++) {
        begin()
        const key = members.key(i)
        writeJsonString(out, key, 0, key.length)
        out.byte(COLON)
        out.append(others, members.valueStart[i]!, members.valueEnd[i]!)
      }
    }
    const entries = this.#specs.length === 0 ? [] : entriesOf(this.#view, id)
    for (const { name: embedder } of this.#specs) {
      begin()
      writeText(out, embedder)
      out.byte(COLON)
      writeEntry(entries.find((entry) => entry.embedder === embedder) ?? null, out)
    }
    if (count === 0) out.byte(BRACE)
    out.byte(BRACE_END)
  }

  /**
   * Appends the object for import into another database: the vectors that the document has, with
   * all stored digits. Returns false and appends nothing if the document has no vectors. `orders`:
   * the order of each embedder's fragments in the other database.
   */
  transfer(
    id: DocId,
    others: Uint8Array | null,
    orders: FragmentOrders | null,
    out: JsonBuffer,
  ): boolean {
    const entries = this.#specs.length === 0 ? [] : entriesOf(this.#view, id)
    if (others === null && entries.length === 0) return false
    if (others === null) out.byte(BRACE)
    else out.append(others, 0, others.length - 1)
    entries.forEach((entry, i) => {
      if (i > 0 || others !== null) out.byte(COMMA)
      writeText(out, entry.embedder)
      out.ascii(':{"embeddings":')
      writeVectorsJson(this.#inOrder(entry, orders?.[entry.embedder]), out)
      out.ascii(`,"regenerate":${entry.regenerates}}`)
    })
    out.byte(BRACE_END)
    return true
  }

  /**
   * Returns the vectors of an entry in the order `order`; vectors of fragments that `order` does
   * not name come last.
   */
  #inOrder(entry: VectorEntry, order: readonly string[] | undefined): readonly Float32Array[] {
    const vectors = comparedVectors(entry)
    const { fragments } = entry
    if (fragments === null || order === undefined) return vectors
    const spec = this.#specs.find(({ name }) => name === entry.embedder)
    const placeOf = (row: number): number => {
      const place = order.indexOf(spec?.fragments[fragments[row]!] ?? '')
      return place < 0 ? order.length : place
    }
    const rows = [...vectors.keys()].sort((a, b) => placeOf(a) - placeOf(b) || a - b)
    return rows.map((row) => vectors[row]!)
  }
}

type FragmentOrders = { readonly [embedder: string]: readonly string[] }

/** Returns what the embedders have of a live document. */
export function entriesOf({ view }: SearchableView, id: DocId): readonly VectorEntry[] {
  for (const { reader, dead } of view.layer(vectorsLayer)) {
    const place = dead.has(id) ? -1 : reader.placeOf(id)
    if (place >= 0) return entriesAt(reader, place)
  }
  return []
}

/**
 * A document that an embedder has not processed yet is written as one whose vectors will be
 * generated.
 */
function writeEntry(entry: VectorEntry | null, out: JsonBuffer): void {
  out.ascii('{"embeddings":')
  writeVectorsJson(entry === null ? [] : shownVectors(entry), out)
  out.ascii(`,"regenerate":${entry === null || entry.regenerates}}`)
}
