// Computes vectors with the embedders of an index: renders each embedder's input from a document,
// compares it with the earlier input, sends new inputs, and collects the vectors.
import { comparedVectors, type VectorEntry } from '../../../format/vectors/index.ts'
import {
  type EmbeddedInputs,
  EmbeddingRefusal,
  INPUTS_PER_MESSAGE,
  type InputEmbedder,
  InputMaker,
  MESSAGE_BYTES_MAX,
  sameInput,
} from '../../ai/embedding/index.ts'
import { type Loaded, type TemplateDocument, TemplateFault } from '../../ai/template/index.ts'
import { EngineFault } from '../../model/index.ts'
import { changesVectors, type EmbedderSpec, indexingSide } from '../../settings/embedders/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { searchableNames } from '../../settings/values/index.ts'
import { fragmentsOfRows } from './fragment-finder.ts'
import { TemplateDocuments } from './template-documents.ts'
import { NameHints } from './vector-faults.ts'
import type {
  BroughtVectors,
  ChangedDocument,
  MadeVectors,
  MakerContext,
  VectorMaker,
} from './vector-maker.ts'

export type MakerParts = {
  /** The library of templates. */
  readonly loaded: Loaded
  readonly embedder: InputEmbedder
  /** Whether a document that cannot be rendered has no vector instead of failing. */
  readonly ignoresTemplates: boolean
}

/** The origin of one vector of a document. */
type Slot = {
  readonly fragment: number
  /** The stored vector, or null if the document has no vector. */
  readonly known: Float32Array | null
  /** Position among the inputs of the embedder, or NOT_REQUESTED. */
  readonly input: number
}

const NOT_REQUESTED = -1

type Ticket = {
  readonly embedder: string
  readonly slots: readonly Slot[]
  readonly hasFragments: boolean
}

/** The inputs that an embedder received from the previous state of a document. */
type EarlierInputs = {
  readonly inputs: readonly unknown[]
  /**
   * For each present fragment its position in `inputs`, -1 for a new one; empty without fragments.
   */
  readonly places: readonly number[]
}

/** Inputs of one embedder since the last `make`. */
class Pending {
  readonly spec: EmbedderSpec
  readonly given: number[] = []
  waiting: unknown[] = []
  count = 0
  #bytes = 0

  constructor(spec: EmbedderSpec) {
    this.spec = spec
  }

  /** Adds an input. Returns its position. `bytes`: its size. */
  add(input: unknown, bytes: number, embedder: InputEmbedder): number {
    this.waiting.push(input)
    this.#bytes += bytes
    const isFull = this.waiting.length >= INPUTS_PER_MESSAGE || this.#bytes >= MESSAGE_BYTES_MAX
    // Only full requests, so that a batch makes as few as possible.
    if (isFull && this.waiting.length % INPUTS_PER_REQUEST === 0) this.give(embedder)
    return this.count++
  }

  give(embedder: InputEmbedder): void {
    if (this.waiting.length === 0) return
    this.given.push(embedder.give(this.spec.embedder, this.waiting))
    this.waiting = []
    this.#bytes = 0
  }
}

const INPUTS_PER_REQUEST = 10
/** Dimensions assumed for vectors of unknown length: most models have at most this many. */
const DIMENSIONS_ASSUMED = 1024

export class EmbeddingMaker implements VectorMaker {
  readonly #parts: MakerParts
  readonly #context: MakerContext
  readonly #documents: TemplateDocuments
  readonly #before = new Map<string, InputMaker>()
  readonly #after = new Map<string, InputMaker>()
  readonly #hints = new NameHints()
  readonly #tickets: Ticket[] = []
  readonly #pending = new Map<string, Pending>()
  /** Dimensions of the vectors that embedders returned in this batch. */
  readonly #dimensions = new Map<string, number>()
  #awaitedBytes = 0

  constructor(parts: MakerParts, context: MakerContext) {
    this.#parts = parts
    this.#context = context
    this.#documents = new TemplateDocuments(context.names)
  }

  get awaitedBytes(): number {
    return this.#awaitedBytes
  }

  request(spec: EmbedderSpec, document: ChangedDocument, always: boolean): number | null {
    const after = this.#documents.of(document.after)
    this.#hints.count(Object.keys(after), Object.keys((after['_vectors'] ?? {}) as object))
    const inputs = this.#inputsOf(spec, after, document)
    const entry = document.stored.find(({ embedder }) => embedder === spec.name)
    const earlier = always ? null : this.#earlierInputs(spec, document)
    if (earlier !== null && isUnchanged(earlier, inputs)) return null
    // Texts are compared in the field order of records, and sent in the field order of the body.
    const sent = this.#isReordered(document)
      ? this.#inputsOf(spec, this.#documents.of(document.after, document.order), document)
      : inputs
    const hasFragments = spec.fragments.length > 0
    const slots: Slot[] = []
    for (const [fragment, input] of inputs.entries()) {
      if (input === undefined) continue
      const place = earlier?.places[fragment] ?? fragment
      const stored = storedOf(entry, place, hasFragments)
      const isReused =
        earlier !== null && stored !== null && sameInput(input, earlier.inputs[place])
      slots.push({
        fragment,
        known: stored,
        input: isReused ? NOT_REQUESTED : this.#ask(spec, sent[fragment]),
      })
    }
    const dimensions = this.#dimensions.get(spec.name) ?? spec.dimensions ?? DIMENSIONS_ASSUMED
    this.#awaitedBytes += slots.length * dimensions * Float32Array.BYTES_PER_ELEMENT
    return this.#tickets.push({ embedder: spec.name, slots, hasFragments }) - 1
  }

  /** Queues an input. Returns its position among those of its embedder. */
  #ask(spec: EmbedderSpec, input: unknown): number {
    const pending = this.#pending.get(spec.name) ?? new Pending(spec)
    this.#pending.set(spec.name, pending)
    const bytes = typeof input === 'string' ? input.length : JSON.stringify(input).length
    this.#awaitedBytes += bytes
    return pending.add(input, bytes, this.#parts.embedder)
  }

  fragmentsOf(spec: EmbedderSpec, brought: BroughtVectors): readonly number[] | null {
    if (spec.fragments.length === 0) return null
    const maker = this.#makerOf(this.#after, spec.name, this.#context.after)
    return fragmentsOfRows(maker!.inputs(this.#documents.of(brought.record)), brought.rows)
  }

  make(): ReadonlyMap<number, MadeVectors> {
    const { embedder } = this.#parts
    for (const pending of this.#pending.values()) pending.give(embedder)
    const vectors = new Map<string, EmbeddedInputs>()
    for (const [name, { given }] of this.#pending) {
      const embedded = this.#take(name, given)
      const length = embedded.find((vector) => vector !== null)?.length
      if (length !== undefined) this.#dimensions.set(name, length)
      vectors.set(name, embedded)
    }
    const made = new Map(
      this.#tickets.map((ticket, i) => [i, madeOf(ticket, vectors.get(ticket.embedder) ?? [])]),
    )
    this.#tickets.length = 0
    this.#pending.clear()
    this.#awaitedBytes = 0
    return made
  }

  /** @throws EngineFault, Canceled */
  #take(name: string, given: readonly number[]): EmbeddedInputs {
    try {
      return given.flatMap((number) => this.#parts.embedder.take(number))
    } catch (error) {
      if (!(error instanceof EmbeddingRefusal)) throw error
      throw new EngineFault(
        'vector_embedding_error',
        `While embedding documents for embedder \`${name}\`: ${error.reason}` +
          this.#hints.textFor(name),
      )
    }
  }

  /** @throws EngineFault invalid_document_fields */
  #inputsOf(
    spec: EmbedderSpec,
    after: TemplateDocument,
    { externalId }: ChangedDocument,
  ): readonly unknown[] {
    try {
      return this.#makerOf(this.#after, spec.name, this.#context.after)!.inputs(after)
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error
      if (this.#parts.ignoresTemplates) return []
      const id = Buffer.from(externalId).toString()
      throw new EngineFault(
        'invalid_document_fields',
        `user error: missing field in document \`${id}\`: liquid: ${error.words}`,
      )
    }
  }

  /**
   * Returns the inputs for the previous state of the document; null if all vectors must be computed
   * again, because that state is unknown or would give other vectors now.
   */
  #earlierInputs({ name }: EmbedderSpec, document: ChangedDocument): EarlierInputs | null {
    if (document.before === null) return null
    const { before, after } = this.#context
    const [was, is] = [before.embedders[name], after.embedders[name]]
    if (was === undefined || is === undefined || changesVectors(was, is)) return null
    const maker = this.#makerOf(this.#before, name, before)
    try {
      const inputs = maker!.inputs(this.#documents.of(document.before))
      const names = Object.keys(indexingSide(was).indexingFragments ?? {})
      const today = Object.keys(indexingSide(is).indexingFragments ?? {})
      return { inputs, places: today.map((fragment) => names.indexOf(fragment)) }
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error
      return null
    }
  }

  #makerOf(
    makers: Map<string, InputMaker>,
    name: string,
    { embedders, searchableAttributes }: IndexSettings,
  ): InputMaker | null {
    const known = makers.get(name)
    const embedder = embedders[name]
    if (known !== undefined || embedder === undefined) return known ?? null
    const maker = new InputMaker(
      this.#parts.loaded,
      indexingSide(embedder),
      searchableNames(searchableAttributes),
    )
    makers.set(name, maker)
    return maker
  }

  /** Returns whether the body has its fields in another order than the record. */
  #isReordered({ order }: ChangedDocument): boolean {
    return order.some((field, i) => i > 0 && order[i - 1]! > field)
  }
}

/** Returns whether the embedder would receive the same inputs for the same fragments. */
const isUnchanged = ({ inputs, places }: EarlierInputs, now: readonly unknown[]): boolean =>
  inputs.length === now.length &&
  places.every((place, i) => place === i) &&
  now.every((input, i) => sameInput(input, inputs[i]))

/** Returns the vector that an entry has for a fragment, or for the document. */
function storedOf(
  entry: VectorEntry | undefined,
  fragment: number,
  hasFragments: boolean,
): Float32Array | null {
  if (entry === undefined || entry.rows === 0) return null
  if (!hasFragments) return comparedVectors(entry)[0] ?? null
  const row = entry.fragments?.indexOf(fragment) ?? -1
  return row < 0 ? null : comparedVectors(entry)[row]!
}

function madeOf({ slots, hasFragments }: Ticket, vectors: EmbeddedInputs): MadeVectors {
  const rows: Float32Array[] = []
  const fragments: number[] = []
  for (const { fragment, known, input } of slots) {
    const vector = input === NOT_REQUESTED ? known : (vectors[input] ?? known)
    if (vector === null) continue
    rows.push(vector)
    fragments.push(fragment)
  }
  return { rows, fragments: hasFragments ? fragments : null }
}
