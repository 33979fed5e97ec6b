// Determines the vectors of a document after a batch: those it contains, those it already has, or
// those to be computed from it.
import type { DocId } from '../../../format/ids.ts'
import {
  DIMENSIONS_MAX,
  entriesAt,
  type RowForm,
  storedRows,
  type VectorEntry,
} from '../../../format/vectors/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { OpenView } from '../../read/segments/index.ts'
import { type EmbedderSpec, embedderSpecs } from '../../settings/embedders/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { vectorsLayer } from '../../store/layers/index.ts'
import { type AwaitedEntry, ChunkVectors, countsOf, type VectorCounts } from './chunk-vectors.ts'
import { type GivenDocument, type GivenVectors, VectorsParser } from './given-vectors.ts'
import { NameHints, noVectorsFault, vectorsFault } from './vector-faults.ts'
import type { ChangedDocument, VectorMaker } from './vector-maker.ts'

/** A document that a batch has examined. */
export type ExaminedDocument = ChangedDocument & {
  /** Its entries of `_vectors`, by embedder. */
  readonly given: ReadonlyMap<string, GivenVectors>
  /** Its present vectors; empty for a new document. */
  readonly stored: readonly VectorEntry[]
}

type VectorsDecision = {
  readonly entry: VectorEntry | AwaitedEntry | null
  readonly isChanged: boolean
}

/** Documents without vectors for an embedder that requires them. */
type Missing = { readonly id: string; others: number }

type Rebuilding = {
  /** Embedders whose vectors are all computed again, possibly with other dimensions. */
  readonly remade: ReadonlySet<string>
}

const NO_ENTRIES_GIVEN: GivenDocument = { known: new Map(), otherNames: [], others: null }

export class DocumentVectors {
  readonly #specs: readonly EmbedderSpec[]
  readonly #view: OpenView
  readonly #maker: VectorMaker
  readonly #isRebuilt: boolean
  readonly #remade: ReadonlySet<string>
  readonly #parser: VectorsParser
  readonly #dimensions = new Map<string, number>()
  readonly #missing = new Map<string, Missing>()
  readonly #hints = new NameHints()
  readonly #chunk = new ChunkVectors()
  #vectors = 0
  #documents = 0

  /** `rebuilt`: set if every document gets a new copy, even without changes. */
  constructor(
    settings: IndexSettings,
    view: OpenView,
    maker: VectorMaker,
    rebuilt: Rebuilding | null = null,
  ) {
    this.#isRebuilt = rebuilt !== null
    this.#remade = rebuilt?.remade ?? new Set()
    this.#specs = embedderSpecs(settings.embedders)
    this.#view = view
    this.#maker = maker
    const names = new Set(this.#specs.map(({ name }) => name))
    this.#parser = new VectorsParser((name) => names.has(name))
    for (const { name, dimensions, isUserProvided } of this.#specs) {
      const stored = this.#remade.has(name) ? null : this.#storedDimensions(name)
      // Settings of models may later name another number, which recomputes nothing.
      const known = isUserProvided ? (dimensions ?? stored) : (stored ?? dimensions)
      if (known !== null) this.#dimensions.set(name, known)
    }
  }

  /** Returns whether the settings have an embedder. */
  get isUsed(): boolean {
    return this.#specs.length > 0
  }

  /** Estimated bytes of vectors of the chunk so far, including those still to be computed. */
  get bytes(): number {
    return this.#chunk.bytes + this.#maker.awaitedBytes
  }

  /** Change of the number of vectors, and of documents that have any. */
  get counts(): VectorCounts {
    return { vectors: this.#vectors, documents: this.#documents }
  }

  /** Parses the value of `_vectors` of an incoming document. @throws EngineFault */
  parse(bytes: Uint8Array, from: number, to: number, id: Uint8Array): GivenDocument {
    return this.#parser.parse(bytes, from, to, id)
  }

  /**
   * Parses the value of `_vectors` of a stored document; an empty value means that it has no such
   * member.
   */
  parseStored(value: Uint8Array, id: Uint8Array): GivenDocument {
    return value.length === 0
      ? NO_ENTRIES_GIVEN
      : this.#parser.parse(value, 0, value.length, id, true)
  }

  /** Returns the stored vectors of a live document. @throws CorruptionError */
  storedOf(id: DocId): readonly VectorEntry[] {
    for (const { reader, dead } of this.#view.layer(vectorsLayer)) {
      const place = reader.placeOf(id)
      if (place >= 0 && !dead.has(id)) return entriesAt(reader, place)
    }
    return []
  }

  /** Counts the removal of a document's vectors. */
  removed(stored: readonly VectorEntry[]): void {
    const { vectors, documents } = countsOf(stored)
    this.#vectors -= vectors
    this.#documents -= documents
  }

  /**
   * Decides about the next document of the chunk. Returns whether it needs a new copy in the
   * vectors layer. @throws EngineFault
   */
  decide(
    document: ExaminedDocument,
    fields: Iterable<string>,
    otherNames: readonly string[],
  ): boolean {
    const { stored } = document
    const entries: (VectorEntry | AwaitedEntry)[] = []
    let isChanged = stored.some(({ embedder }) => !this.#specs.some((s) => s.name === embedder))
    for (const spec of this.#specs) {
      const decided = this.#decideOn(spec, document)
      isChanged ||= decided.isChanged
      if (decided.entry !== null) entries.push(decided.entry)
    }
    if (this.#missing.size > 0) this.#hints.count(fields, otherNames)
    if (isChanged && !this.#isRebuilt) this.removed(stored)
    this.#chunk.add(isChanged || this.#isRebuilt ? entries : [])
    return isChanged
  }

  /** Removes the last decided document from the chunk, because it has not changed. */
  undo(): void {
    this.#chunk.undo()
  }

  /** Adds a document without vectors to the chunk. */
  skip(): void {
    this.#chunk.add([])
  }

  /**
   * Returns the encoded entries of the documents of the chunk, after computing the requested
   * vectors. @throws EngineFault, Canceled
   */
  take(): readonly Uint8Array[] {
    const { encoded, counts } = this.#chunk.take(this.#maker.make(), this.#complete)
    this.#vectors += counts.vectors
    this.#documents += counts.documents
    return encoded
  }

  /** Checks that no document lacks required vectors. @throws EngineFault */
  requireAll(): void {
    for (const { name } of this.#specs) {
      const missing = this.#missing.get(name)
      if (missing === undefined) continue
      throw noVectorsFault(name, missing.id, missing.others, this.#hints.textFor(name))
    }
  }

  #decideOn(spec: EmbedderSpec, document: ExaminedDocument): VectorsDecision {
    const given = document.given.get(spec.name)
    const stored = document.stored.find(({ embedder }) => embedder === spec.name) ?? null
    if (given === undefined) return this.#unsaid(spec, document, stored)
    if (given.rows !== null) return this.#own(spec, document, given.rows, given, stored)
    if (!given.regenerates) {
      return stored === null ? this.#own(spec, document, [], given, null) : unchanged(stored)
    }
    if (spec.isUserProvided) {
      if (stored === null || stored.rows === 0) this.#isMissing(spec, document)
      return unchanged(stored)
    }
    // Vectors computed from the document are valid as long as its text stays the same.
    const isMade = stored !== null && !stored.isOwn && stored.regenerates
    return this.#made(spec, document, stored, !isMade)
  }

  /** Decides for an embedder that the document has no entry for. */
  #unsaid(
    spec: EmbedderSpec,
    document: ExaminedDocument,
    stored: VectorEntry | null,
  ): VectorsDecision {
    if (spec.isUserProvided) {
      if (stored === null) this.#isMissing(spec, document)
      else this.#requireLength(spec, stored, document)
      return unchanged(stored)
    }
    if (stored === null) return this.#made(spec, document, null, true)
    if (stored.regenerates) return this.#made(spec, document, stored, false)
    if (this.#remade.has(spec.name)) this.#requireLength(spec, stored, document)
    return unchanged(stored)
  }

  #own(
    spec: EmbedderSpec,
    { externalId, after: record }: ExaminedDocument,
    rows: readonly Float32Array[],
    { regenerates }: GivenVectors,
    stored: VectorEntry | null,
  ): VectorsDecision {
    const dimensions = this.#requireDimensions(spec.name, rows, externalId)
    const form = formOf(spec)
    const brought = { record, rows: rows.length }
    const fragments = regenerates ? this.#maker.fragmentsOf(spec, brought) : null
    const entry: VectorEntry = {
      embedder: spec.name,
      dimensions,
      form,
      isOwn: fragments === null,
      regenerates,
      rows: rows.length,
      fragments: fragments === null ? null : Uint8Array.from(fragments),
      stored: storedRows(form, dimensions, rows),
    }
    return { entry, isChanged: stored === null || !isSame(entry, stored) }
  }

  #made(
    spec: EmbedderSpec,
    document: ExaminedDocument,
    stored: VectorEntry | null,
    always: boolean,
  ): VectorsDecision {
    const ticket = this.#maker.request(spec, document, always)
    if (ticket === null) return unchanged(stored)
    const { name: embedder } = spec
    const entry = { embedder, form: formOf(spec), isOwn: false, regenerates: true, ticket }
    return { entry, isChanged: true }
  }

  /** Checks that stored vectors have the length that the settings require. @throws EngineFault */
  #requireLength(
    { name }: EmbedderSpec,
    stored: VectorEntry,
    { externalId: id }: ExaminedDocument,
  ): void {
    const wanted = this.#dimensions.get(name) ?? stored.dimensions
    if (stored.rows === 0) return
    if (stored.dimensions !== wanted) {
      throw vectorsFault.dimensions({ id, name }, 0, stored.dimensions, wanted)
    }
    this.#dimensions.set(name, wanted)
  }

  #isMissing({ name }: EmbedderSpec, { externalId }: ExaminedDocument): void {
    const missing = this.#missing.get(name)
    if (missing !== undefined) missing.others++
    else this.#missing.set(name, { id: Buffer.from(externalId).toString(), others: 0 })
  }

  /** Returns the dimensions of an embedder from its vectors in a document. @throws EngineFault */
  #requireDimensions(name: string, rows: readonly Float32Array[], id: Uint8Array): number {
    const wanted = this.#dimensions.get(name) ?? Math.max(1, rows[0]?.length ?? 1)
    const wrong = rows.findIndex(({ length }) => length !== wanted || length > DIMENSIONS_MAX)
    if (wrong >= 0) throw vectorsFault.dimensions({ id, name }, wrong, rows[wrong]!.length, wanted)
    if (rows.length > 0) this.#dimensions.set(name, wanted)
    return wanted
  }

  /**
   * Checks that computed vectors are as long as the others of their embedder, and can be stored.
   * @throws EngineFault
   */
  readonly #complete = (embedder: string, rows: readonly Float32Array[]): number => {
    const wanted = this.#dimensions.get(embedder) ?? Math.max(1, rows[0]?.length ?? 1)
    const wrong = rows.find(({ length }) => length !== wanted || length > DIMENSIONS_MAX)
    if (wrong !== undefined) {
      const most = wanted > DIMENSIONS_MAX ? `at most \`${DIMENSIONS_MAX}\`` : `\`${wanted}\``
      const words = `was expecting embeddings of dimension ${most}, got embeddings of `
      throw new EngineFault(
        'vector_embedding_error',
        `While embedding documents for embedder \`${embedder}\`: runtime error: ` +
          `${words}dimensions \`${wrong.length}\``,
      )
    }
    if (rows.length > 0) this.#dimensions.set(embedder, wanted)
    return wanted
  }

  #storedDimensions(name: string): number | null {
    for (const { reader } of this.#view.layer(vectorsLayer)) {
      const rows = reader.embedder(name)
      if (rows !== null && rows.count > 0) return rows.dimensions
    }
    return null
  }
}

const formOf = ({ binaryQuantized }: EmbedderSpec): RowForm =>
  binaryQuantized ? 'nibbles' : 'floats'

const unchanged = (entry: VectorEntry | null): VectorsDecision => ({ entry, isChanged: false })

const isSame = (a: VectorEntry, b: VectorEntry): boolean =>
  a.form === b.form &&
  a.isOwn === b.isOwn &&
  a.regenerates === b.regenerates &&
  a.rows === b.rows &&
  a.dimensions === b.dimensions &&
  Buffer.compare(a.stored, b.stored) === 0
