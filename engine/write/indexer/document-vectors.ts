// Which vectors a document has after a batch: what it brings, what it has already, or what is to be
// made of it · search semantics §18.4, vectors sheet §4.
import {
  DIMENSIONS_MAX,
  entriesAt,
  type RowForm,
  storedRows,
  type VectorEntry,
} from '../../../format/vectors/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { OpenView } from '../../read/segments/index.ts'
import { type EmbedderSpec, embedderSpecs, type IndexSettings } from '../../settings/index.ts'
import { vectorsLayer } from '../../store/layers/index.ts'
import { type AwaitedEntry, ChunkVectors, countsOf, type VectorCounts } from './chunk-vectors.ts'
import { type GivenDocument, type GivenVectors, VectorsParser } from './given-vectors.ts'
import { NameHints, noVectorsFault, vectorsFault } from './vector-faults.ts'
import type { ChangedDocument, VectorMaker } from './vector-maker.ts'

/** A document that a batch has looked at. */
export type LookedAt = ChangedDocument & {
  /** What it said under `_vectors`, by embedder. */
  readonly given: ReadonlyMap<string, GivenVectors>
  /** What it has so far; empty for a new one. */
  readonly stored: readonly VectorEntry[]
}

type Decided = { readonly entry: VectorEntry | AwaitedEntry | null; readonly isChanged: boolean }

/** Documents without vectors for an embedder whose documents bring them. */
type Missing = { readonly id: string; others: number }

type Rebuilding = {
  /** Embedders that make all their vectors anew, perhaps of other dimensions. */
  readonly remade: ReadonlySet<string>
}

const NO_GIVEN: GivenDocument = { known: new Map(), otherNames: [], others: null }

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

  /** `rebuilt`: every document gets a new copy, whether anything changes or not. */
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
      // Settings of models may come to say another number, which embeds nothing anew.
      const known = isUserProvided ? (dimensions ?? stored) : (stored ?? dimensions)
      if (known !== null) this.#dimensions.set(name, known)
    }
  }

  /** Whether documents have anything to do with vectors. */
  get isUsed(): boolean {
    return this.#specs.length > 0
  }

  /** Bytes of vectors of the chunk so far, those that are still to be made included. */
  get bytes(): number {
    return this.#chunk.bytes + this.#maker.awaitedBytes
  }

  /** By how much the numbers of vectors, and of documents with any, have grown. */
  get counts(): VectorCounts {
    return { vectors: this.#vectors, documents: this.#documents }
  }

  /** Reads the value of `_vectors` of a document that came. @throws EngineFault */
  parse(bytes: Uint8Array, from: number, to: number, id: Uint8Array): GivenDocument {
    return this.#parser.parse(bytes, from, to, id)
  }

  /** Reads the value of `_vectors` of a stored document, empty where it has no such member. */
  parseStored(value: Uint8Array, id: Uint8Array): GivenDocument {
    return value.length === 0 ? NO_GIVEN : this.#parser.parse(value, 0, value.length, id, true)
  }

  /** What a live document has. @throws CorruptionError */
  storedOf(id: number): readonly VectorEntry[] {
    for (const { reader, dead } of this.#view.layer(vectorsLayer)) {
      const place = reader.placeOf(id)
      if (place >= 0 && !dead.has(id)) return entriesAt(reader, place)
    }
    return []
  }

  /** A document has gone, with these. */
  removed(stored: readonly VectorEntry[]): void {
    const { vectors, documents } = countsOf(stored)
    this.#vectors -= vectors
    this.#documents -= documents
  }

  /**
   * Decides on the next document of the chunk. Returns whether it needs a new copy in the vectors
   * layer. @throws EngineFault
   */
  decide(document: LookedAt, fields: Iterable<string>, otherNames: readonly string[]): boolean {
    const { stored } = document
    const entries: (VectorEntry | AwaitedEntry)[] = []
    let isChanged = stored.some(({ embedder }) => !this.#specs.some((s) => s.name === embedder))
    for (const spec of this.#specs) {
      const decided = this.#decideOn(spec, document)
      isChanged ||= decided.isChanged
      if (decided.entry !== null) entries.push(decided.entry)
    }
    if (this.#missing.size > 0) this.#hints.met(fields, otherNames)
    if (isChanged && !this.#isRebuilt) this.removed(stored)
    this.#chunk.add(isChanged || this.#isRebuilt ? entries : [])
    return isChanged
  }

  /** The document that was decided on last is not of the chunk: nothing of it has changed. */
  undo(): void {
    this.#chunk.undo()
  }

  /** A document of the chunk that has nothing to do with vectors. */
  skip(): void {
    this.#chunk.add([])
  }

  /**
   * The entries of the documents of the chunk, encoded, with what had to be made for them.
   * @throws EngineFault, Canceled
   */
  take(): readonly Uint8Array[] {
    const { encoded, counts } = this.#chunk.take(this.#maker.make(), this.#complete)
    this.#vectors += counts.vectors
    this.#documents += counts.documents
    return encoded
  }

  /** @throws EngineFault where a document has no vectors that had to bring some */
  requireAll(): void {
    for (const { name } of this.#specs) {
      const missing = this.#missing.get(name)
      if (missing === undefined) continue
      throw noVectorsFault(name, missing.id, missing.others, this.#hints.textFor(name))
    }
  }

  #decideOn(spec: EmbedderSpec, document: LookedAt): Decided {
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
    // What was made of it before is right as long as its text stays.
    const isMade = stored !== null && !stored.isOwn && stored.regenerates
    return this.#made(spec, document, stored, !isMade)
  }

  /** The document says nothing of the embedder. */
  #unsaid(spec: EmbedderSpec, document: LookedAt, stored: VectorEntry | null): Decided {
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
    { externalId, after: record }: LookedAt,
    rows: readonly Float32Array[],
    { regenerates }: GivenVectors,
    stored: VectorEntry | null,
  ): Decided {
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
    document: LookedAt,
    stored: VectorEntry | null,
    always: boolean,
  ): Decided {
    const ticket = this.#maker.request(spec, document, always)
    if (ticket === null) return unchanged(stored)
    const { name: embedder } = spec
    const entry = { embedder, form: formOf(spec), isOwn: false, regenerates: true, ticket }
    return { entry, isChanged: true }
  }

  /** @throws EngineFault for vectors of a length that the settings no longer say */
  #requireLength({ name }: EmbedderSpec, stored: VectorEntry, { externalId: id }: LookedAt): void {
    const wanted = this.#dimensions.get(name) ?? stored.dimensions
    if (stored.rows === 0) return
    if (stored.dimensions !== wanted) {
      throw vectorsFault.dimensions({ id, name }, 0, stored.dimensions, wanted)
    }
    this.#dimensions.set(name, wanted)
  }

  #isMissing({ name }: EmbedderSpec, { externalId }: LookedAt): void {
    const missing = this.#missing.get(name)
    if (missing !== undefined) missing.others++
    else this.#missing.set(name, { id: Buffer.from(externalId).toString(), others: 0 })
  }

  /** The dimensions of an embedder whose vectors these are. @throws EngineFault */
  #requireDimensions(name: string, rows: readonly Float32Array[], id: Uint8Array): number {
    const wanted = this.#dimensions.get(name) ?? Math.max(1, rows[0]?.length ?? 1)
    const wrong = rows.findIndex(({ length }) => length !== wanted || length > DIMENSIONS_MAX)
    if (wrong >= 0) throw vectorsFault.dimensions({ id, name }, wrong, rows[wrong]!.length, wanted)
    if (rows.length > 0) this.#dimensions.set(name, wanted)
    return wanted
  }

  /** @throws EngineFault for vectors that are not as long as the others of their embedder */
  readonly #complete = (embedder: string, rows: readonly Float32Array[]): number => {
    const wanted = this.#dimensions.get(embedder) ?? Math.max(1, rows[0]?.length ?? 1)
    const wrong = rows.find(({ length }) => length !== wanted)
    if (wrong !== undefined) {
      const words = `was expecting embeddings of dimension \`${wanted}\`, got embeddings of `
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

const unchanged = (entry: VectorEntry | null): Decided => ({ entry, isChanged: false })

const isSame = (a: VectorEntry, b: VectorEntry): boolean =>
  a.form === b.form &&
  a.isOwn === b.isOwn &&
  a.regenerates === b.regenerates &&
  a.rows === b.rows &&
  a.dimensions === b.dimensions &&
  Buffer.compare(a.stored, b.stored) === 0
