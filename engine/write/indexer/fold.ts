// Applies the steps of one document after each other: additions, updates, edits, deletions. The
// result is the document's record, and the vectors that the steps contain.
import { RecordFields, RecordWriter } from '../../../format/documents/index.ts'
import { JsonBuffer, Members } from '../../../format/json/index.ts'
import { discoverFields, type FieldNames, type FieldPlan } from '../../store/layers/index.ts'
import type { DocumentVectors, GivenVectors } from '../vectors/index.ts'
import { type ResolvedOperations, STEP_DELETE, STEP_EDIT, STEP_UPDATE } from './operations.ts'

const NO_RECORD = new Uint8Array(0)
const VECTORS = Buffer.from('_vectors')

export type FoldContext = {
  /** The field names of the view; grows. */
  readonly names: FieldNames
  /**
   * Edits a record for edit steps: returns JSON, the record itself if nothing changes, or null to
   * delete the document. Required if there are edit steps. @throws EngineFault
   */
  readonly edit?: (record: Uint8Array, externalId: Uint8Array) => Uint8Array | null
}

export class DocumentFolder {
  readonly #operations: ResolvedOperations
  readonly #context: FoldContext
  readonly #plan: FieldPlan
  readonly #vectors: DocumentVectors
  /** Id of the field `_vectors`, -1 until a document contains it. */
  #vectorsField = -1
  /** Vectors that the steps of one document contain. */
  readonly given = new Map<string, GivenVectors>()
  otherNames: readonly string[] = []
  /**
   * Field ids of the document in the order of the last body that contained it; empty: the order of
   * its record.
   */
  order: number[] = []
  /** Whether a step has removed the document, so that its previous state no longer counts. */
  isRemade = false
  readonly #members = new Members()
  readonly #writer = new RecordWriter()
  readonly #base = new RecordFields()
  readonly #new = new RecordFields()
  /** The record that `#new` has read. */
  #newOf: Uint8Array = NO_RECORD
  readonly #scratch = new JsonBuffer(64)

  constructor(
    operations: ResolvedOperations,
    context: FoldContext,
    plan: FieldPlan,
    vectors: DocumentVectors,
  ) {
    this.#operations = operations
    this.#context = context
    this.#plan = plan
    this.#vectors = vectors
  }

  /**
   * Applies the steps of a document. Returns its record (a view until the next call), or null if it
   * is deleted.
   */
  fold(document: number, old: Uint8Array | null): Uint8Array | null {
    const operations = this.#operations
    let record = old
    this.given.clear()
    this.otherNames = []
    this.order = []
    this.isRemade = false
    for (let s = operations.firstStep(document); s >= 0; s = operations.nextStep(s)) {
      const kind = operations.stepKind(s)
      if (kind === STEP_DELETE) {
        record = null
        this.given.clear()
        this.isRemade = true
      } else if (kind === STEP_EDIT) record = record === null ? null : this.#edit(document, record)
      else if (record !== null || !operations.skipsCreation(s)) {
        const base = kind === STEP_UPDATE && record !== null ? record : NO_RECORD
        const last = operations.nextStep(s) < 0
        record = this.#write(base, document, operations.stepBody(s), operations.stepStart(s))
        // The writer's memory is reused by the next step.
        if (!last) record = record.slice()
      }
    }
    return record
  }

  #edit(document: number, record: Uint8Array): Uint8Array | null {
    const json = this.#context.edit!(record, this.#operations.ids.bytes(document))
    return json === null || json === record ? json : this.#write(NO_RECORD, document, json, 0)
  }

  /**
   * Writes the record of the document at `at` of a body; keeps fields of `base` that the document
   * lacks.
   */
  #write(base: Uint8Array, document: number, body: Uint8Array, at: number): Uint8Array {
    const { names } = this.#context
    const members = this.#members
    const writer = this.#writer
    members.scan(body, at)
    writer.begin()
    const order = (this.order = [] as number[])
    const written = base.length > 0 ? new Set<number>() : null
    for (let i = 0; i < members.count; i++) {
      const field = names.idOfBytes(members.keySource(i), members.keyStart[i]!, members.keyEnd[i]!)
      written?.add(field)
      order.push(field)
      if (members.keyIs(i, VECTORS)) {
        this.#vectorsField = field
        this.#writeVectors(document, body, members.valueStart[i]!, members.valueEnd[i]!)
      } else writer.add(field, body, members.valueStart[i]!, members.valueEnd[i]!)
    }
    if (written !== null) {
      this.#base.read(base)
      for (let f = 0; f < this.#base.count; f++) {
        const field = this.#base.ids[f]!
        if (written.has(field)) continue
        writer.add(field, this.#base.value(f))
        order.push(field)
      }
    }
    const record = writer.finish()
    this.#discover(record)
    return record
  }

  /** Remembers the entries of embedders for later; other entries stay in the document. */
  #writeVectors(document: number, body: Uint8Array, from: number, to: number): void {
    const externalId = this.#operations.ids.bytes(document)
    const { known, otherNames, others } = this.#vectors.parse(body, from, to, externalId)
    for (const [embedder, given] of known) this.given.set(embedder, given)
    this.otherNames = otherNames
    if (others !== null) this.#writer.add(this.#vectorsField, others)
  }

  /** Returns the fields of the record that `fold` returned last; valid until the next `fold`. */
  read(record: Uint8Array): RecordFields {
    if (this.#newOf !== record) this.#new.read(record)
    this.#newOf = record
    return this.#new
  }

  #discover(record: Uint8Array): void {
    const fields = this.read(record)
    for (let f = 0; f < fields.count; f++) {
      const node = this.#plan.field(fields.ids[f]!)
      discoverFields(node, record, fields.starts[f]!, this.#scratch)
    }
  }
}
