// Moves vectors between the stored documents and the vectors layer when embedders change.
import { RecordFields, RecordWriter } from '../../../format/documents/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import {
  comparedVectors,
  shownVectors,
  storedRows,
  type VectorEntry,
  writeVectorsJson,
} from '../../../format/vectors/index.ts'
import type { OpenView } from '../../read/segments/index.ts'
import { changesVectors, type EmbedderSpec, embedderSpecs } from '../../settings/embedders/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import type { FieldNames } from '../../store/layers/index.ts'
import { DocumentVectors } from './document-vectors.ts'
import type { StoredRecord } from './stored-records.ts'
import type { VectorMaker } from './vector-maker.ts'

const VECTORS = '_vectors'
const NO_OTHERS = new Uint8Array(0)

export class VectorsMove {
  readonly vectors: DocumentVectors
  readonly #removed: ReadonlySet<string>
  readonly #specs: ReadonlyMap<string, EmbedderSpec>
  readonly #names: FieldNames
  readonly #fields = new RecordFields()
  readonly #writer = new RecordWriter()
  /** Number of documents that gained the field `_vectors` minus those that lost it. */
  #gained = 0

  constructor(
    before: IndexSettings,
    after: IndexSettings,
    view: OpenView,
    names: FieldNames,
    maker: VectorMaker,
  ) {
    const remade = Object.keys(after.embedders).filter((name) => {
      const [was, is] = [before.embedders[name], after.embedders[name]!]
      return was === undefined || changesVectors(was, is)
    })
    this.vectors = new DocumentVectors(after, view, maker, { remade: new Set(remade) })
    this.#specs = new Map(embedderSpecs(after.embedders).map((spec) => [spec.name, spec]))
    const removed = Object.keys(before.embedders).filter((name) => !this.#specs.has(name))
    this.#removed = new Set(removed)
    this.#names = names
  }

  /** Change of the number of documents for each field. */
  get fieldCounts(): readonly (readonly [field: FieldId, difference: number])[] {
    return this.#gained === 0 ? [] : [[this.#names.idOf(VECTORS), this.#gained]]
  }

  /**
   * Decides about the vectors of the next document of the chunk. Returns its new record: a view
   * until the next call. @throws EngineFault
   */
  record({ id, externalId, record }: StoredRecord): Uint8Array {
    const fields = this.#fields
    fields.read(record)
    const named = Array.from(fields.ids.subarray(0, fields.count), (f) => this.#names.name(f))
    const at = named.indexOf(VECTORS)
    const vectorsValue = at < 0 ? NO_OTHERS : fields.value(at)
    const given = this.vectors.parseStored(vectorsValue, externalId)
    const stored = this.vectors.storedOf(id)
    const left = stored.filter(({ embedder }) => !this.#removed.has(embedder))
    const back = stored.filter(
      ({ embedder, regenerates }) => this.#removed.has(embedder) && !regenerates,
    )
    const isMoved = back.length > 0 || given.known.size > 0
    const after = isMoved ? this.#rewritten(at, given.others, back) : record
    const document = {
      externalId,
      before: record,
      after,
      order: [],
      given: given.known,
      stored: left.map((entry) => this.#converted(entry)),
    }
    this.vectors.decide(document, named, given.otherNames)
    return after
  }

  /** Returns the record just read with other entries under `_vectors`. */
  #rewritten(at: number, others: Uint8Array | null, back: readonly VectorEntry[]): Uint8Array {
    const value = joined(others, back)
    this.#gained += (value === null ? 0 : 1) - (at < 0 ? 0 : 1)
    const writer = this.#writer
    writer.begin()
    for (let f = 0; f < this.#fields.count; f++) {
      if (f !== at) writer.add(this.#fields.ids[f]!, this.#fields.value(f))
    }
    if (value !== null) writer.add(this.#names.idOf(VECTORS), value)
    return writer.finish()
  }

  /** Converts an entry to the form in which its embedder stores vectors from now on. */
  #converted(entry: VectorEntry): VectorEntry {
    const spec = this.#specs.get(entry.embedder)
    if (spec === undefined) return entry
    // Back to floats if an embedder was removed and another one got its name in the same batch.
    const form = spec.binaryQuantized ? 'nibbles' : 'floats'
    if (entry.form === form) return entry
    return { ...entry, form, stored: storedRows(form, entry.dimensions, comparedVectors(entry)) }
  }
}

/**
 * Returns the object of other entries and of those that move back, names in byte order; null
 * without entries.
 */
function joined(others: Uint8Array | null, back: readonly VectorEntry[]): Uint8Array | null {
  if (back.length === 0) return others
  const entries = new Map<string, string>()
  const otherEntries = others === null ? {} : (JSON.parse(Buffer.from(others).toString()) as object)
  for (const [name, value] of Object.entries(otherEntries)) entries.set(name, JSON.stringify(value))
  for (const entry of back) {
    const out = new JsonBuffer(256)
    writeVectorsJson(shownVectors(entry), out)
    const embeddings = Buffer.from(out.view()).toString()
    entries.set(entry.embedder, `{"regenerate":false,"embeddings":${embeddings}}`)
  }
  const sorted = [...entries].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const members = sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return Buffer.from(`{${members.join(',')}}`)
}
