// Runs the document operations of one batch against a view: determines which documents are new,
// changed or removed, which records go into new segments, and which old copies die. Nothing is
// visible before the result is committed.
//
// Documents are processed in ascending order of their ids, so segments are sorted; an unchanged
// document costs one comparison. A document whose searched and faceted fields did not change goes
// into the documents layer only.
//
// This is one file because all of it works on the state of one batch.
import { equalBytes, withRoom } from '../../../format/bytes/index.ts'
import { RecordFields, RecordWriter } from '../../../format/documents/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer, Members } from '../../../format/json/index.ts'
import type { VectorEntry } from '../../../format/vectors/index.ts'
import type { OpenView } from '../../read/segments/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import {
  allLayerBits,
  anyFieldBits,
  discoverFields,
  type FieldNames,
  type FieldPlan,
  LAYERS,
  layerBit,
  planOfLayers,
  vectorsProfile,
} from '../../store/layers/index.ts'
import {
  DocumentVectors,
  type GivenVectors,
  type VectorCounts,
  type VectorMaker,
} from '../vectors/index.ts'
import { type Chunk, ChunkBuilder } from './chunk.ts'
import { FreeIds } from './free-ids.ts'
import { type ResolvedOperations, STEP_DELETE, STEP_EDIT, STEP_UPDATE } from './operations.ts'

/** The inputs of a batch in addition to its operations. */
export type BatchContext = {
  readonly view: OpenView
  readonly settings: IndexSettings
  /** The field names of the view; grows. */
  readonly names: FieldNames
  /** Bytes of records that a chunk holds before it is built. */
  readonly chunkBytesMax: number
  /** Estimated bytes of the records of all documents. */
  readonly recordBytes: number
  /** Receives each full chunk, in order. */
  readonly build: (chunk: Chunk) => void
  /**
   * Edits a record for edit steps: returns JSON, the record itself if nothing changes, or null to
   * delete the document. Required if there are edit steps. @throws EngineFault
   */
  readonly edit?: (record: Uint8Array, externalId: Uint8Array) => Uint8Array | null
  /** Computes vectors that documents do not contain. */
  readonly vectorMaker: VectorMaker
  /** Called regularly with the number of documents examined since the last call; throws to stop. */
  readonly progress: (documents: number) => void
}

export type BatchChanges = {
  /** By segment number: ids whose copy there is dead from now on. */
  readonly tombstones: ReadonlyMap<number, IdSet>
  /** By field id: change of the number of documents that have the field. */
  readonly fieldCounts: ReadonlyMap<number, number>
  /** Change of the number of vectors, and of documents that have any. */
  readonly vectorCounts: VectorCounts
  /**
   * Called after everything is built: faults of other members are reported first. @throws
   * EngineFault if documents lack vectors that they must contain
   */
  readonly requireVectors: () => void
  readonly added: number
  readonly updated: number
  readonly unchanged: number
  readonly deleted: number
}

const PROGRESS_DOCUMENTS = 256
const NO_RECORD = new Uint8Array(0)
const VECTORS = Buffer.from('_vectors')

export function runDocumentBatch(
  operations: ResolvedOperations,
  context: BatchContext,
): BatchChanges {
  return new DocumentBatch(operations, context).run()
}

class DocumentBatch {
  readonly #operations: ResolvedOperations
  readonly #context: BatchContext
  readonly #plan: FieldPlan
  readonly #chunk: ChunkBuilder
  readonly #vectors: DocumentVectors
  /** Id of the field `_vectors`, -1 until a document contains it. */
  #vectorsField = -1
  readonly #vectorsLayer = layerBit(vectorsProfile.name)
  /** Vectors that the steps of one document contain. */
  readonly #given = new Map<string, GivenVectors>()
  #otherNames: readonly string[] = []
  /**
   * Field ids of the document in the order of the last body that contained it; empty: the order of
   * its record.
   */
  #order: number[] = []
  /** Whether a step has removed the document, so that its previous state no longer counts. */
  #isRemade = false
  readonly #members = new Members()
  readonly #writer = new RecordWriter()
  readonly #base = new RecordFields()
  readonly #old = new RecordFields()
  readonly #new = new RecordFields()
  /** The record that `#new` has read. */
  #newOf: Uint8Array = NO_RECORD
  readonly #scratch = new JsonBuffer(64)
  /** By field id: change of the number of documents that have it. */
  #counts = new Int32Array(64)
  /** The layers that a change of any field affects, as bits. */
  readonly #always: number
  /** Ids whose old copy dies, ascending, and the layers in which it dies, as bits. */
  readonly #dead: number[] = []
  readonly #deadIn: number[] = []
  #added = 0
  #updated = 0
  #unchanged = 0
  #deleted = 0

  constructor(operations: ResolvedOperations, context: BatchContext) {
    this.#operations = operations
    this.#context = context
    this.#chunk = new ChunkBuilder(Math.min(context.recordBytes, context.chunkBytesMax))
    this.#plan = planOfLayers(context.settings, context.names)
    this.#always = anyFieldBits(context.settings)
    this.#vectors = new DocumentVectors(context.settings, context.view, context.vectorMaker)
    // In a new index a requested primary key is the first field; an inferred key follows the order
    // of the first document's names, which is the same on all instances of a network.
    for (const name of operations.namesOfFirst) context.names.idOf(name)
    if (operations.primaryKey !== null) context.names.idOf(operations.primaryKey)
  }

  run(): BatchChanges {
    const { ids, isNew } = this.#assignIds()
    const order = new Uint32Array(ids.length).map((_, i) => i)
    // New documents get ascending ids.
    if (!isAscending(ids)) order.sort((a, b) => ids[a]! - ids[b]!)
    for (let i = 0; i < order.length; i++) {
      if (i % PROGRESS_DOCUMENTS === 0) this.#context.progress(i === 0 ? 0 : PROGRESS_DOCUMENTS)
      const document = order[i]!
      this.#document(document, ids[document]!, isNew[document] === 1)
    }
    if (this.#chunk.count > 0) this.#build()
    return {
      tombstones: this.#tombstones(),
      fieldCounts: new Map([...this.#counts.entries()].filter(([, n]) => n !== 0)),
      vectorCounts: this.#vectors.counts,
      requireVectors: () => this.#vectors.requireAll(),
      added: this.#added,
      updated: this.#updated,
      unchanged: this.#unchanged,
      deleted: this.#deleted,
    }
  }

  /**
   * Returns the id of every document, existing or new; each new document gets a free id when it
   * first occurs.
   */
  #assignIds(): { ids: Uint32Array; isNew: Uint8Array } {
    const { view } = this.#context
    const count = this.#operations.documentCount
    const ids = new Uint32Array(count)
    const isNew = new Uint8Array(count)
    const free = new FreeIds(view.live())
    for (let document = 0; document < count; document++) {
      const id = view.idOf(this.#operations.ids.bytes(document))
      ids[document] = id < 0 ? free.take() : id
      isNew[document] = id < 0 ? 1 : 0
    }
    return { ids, isNew }
  }

  #document(document: number, id: number, isNew: boolean): void {
    const old = isNew ? null : this.#context.view.record(id)
    const record = this.#fold(document, old)
    if (record === null) {
      if (old !== null) this.#delete(id, old)
      return
    }
    const externalId = this.#operations.ids.bytes(document)
    if (old === null) this.#insert(id, externalId, record)
    else this.#replace(id, externalId, old, record)
    if (this.#chunk.bytes + this.#vectors.bytes >= this.#context.chunkBytesMax) this.#build()
  }

  #build(): void {
    this.#context.build(this.#chunk.take(this.#vectors.take()))
  }

  /**
   * Applies the steps of a document. Returns its record (a view until the next call), or null if it
   * is deleted.
   */
  #fold(document: number, old: Uint8Array | null): Uint8Array | null {
    const operations = this.#operations
    let record = old
    this.#given.clear()
    this.#otherNames = []
    this.#order = []
    this.#isRemade = false
    for (let s = operations.firstStep(document); s >= 0; s = operations.nextStep(s)) {
      const kind = operations.stepKind(s)
      if (kind === STEP_DELETE) {
        record = null
        this.#given.clear()
        this.#isRemade = true
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
    const order = (this.#order = [] as number[])
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
    for (const [embedder, given] of known) this.#given.set(embedder, given)
    this.#otherNames = otherNames
    if (others !== null) this.#writer.add(this.#vectorsField, others)
  }

  #readNew(record: Uint8Array): void {
    if (this.#newOf === record) return
    this.#new.read(record)
    this.#newOf = record
  }

  #discover(record: Uint8Array): void {
    this.#readNew(record)
    for (let f = 0; f < this.#new.count; f++) {
      const node = this.#plan.field(this.#new.ids[f]!)
      discoverFields(node, record, this.#new.starts[f]!, this.#scratch)
    }
  }

  #insert(id: number, externalId: Uint8Array, record: Uint8Array): void {
    this.#added++
    this.#readNew(record)
    let into = this.#always
    for (let f = 0; f < this.#new.count; f++) {
      const field = this.#new.ids[f]!
      this.#count(field, 1)
      into |= this.#plan.field(field).reached
    }
    if (this.#decideVectors(externalId, null, record, [])) into |= this.#vectorsLayer
    this.#chunk.add(id, into, externalId, record)
  }

  /**
   * Returns whether the document needs a new copy in the vectors layer. `#new` must hold the fields
   * of `after`.
   */
  #decideVectors(
    externalId: Uint8Array,
    before: Uint8Array | null,
    after: Uint8Array,
    stored: readonly VectorEntry[],
  ): boolean {
    if (!this.#vectors.isUsed && stored.length === 0) {
      this.#vectors.skip()
      return false
    }
    const { names } = this.#context
    const fields = Array.from(this.#new.ids.subarray(0, this.#new.count), (id) => names.name(id))
    const order = this.#order
    const document = { externalId, before, after, order, given: this.#given, stored }
    return this.#vectors.decide(document, fields, this.#otherNames)
  }

  #replace(id: number, externalId: Uint8Array, old: Uint8Array, record: Uint8Array): void {
    const isSame = equalBytes(old, record)
    if (isSame && !this.#vectors.isUsed) {
      this.#unchanged++
      return
    }
    this.#old.read(old)
    this.#readNew(record)
    const had = this.#vectors.isUsed ? this.#vectors.storedOf(id) : []
    if (this.#isRemade) this.#vectors.removed(had)
    const stored = this.#isRemade ? [] : had
    const before = this.#isRemade ? null : old
    const areVectorsNew = this.#decideVectors(externalId, before, record, stored)
    const areVectorsGone = had.length > stored.length
    if (isSame && !areVectorsNew && !areVectorsGone) {
      this.#vectors.undo()
      this.#unchanged++
      return
    }
    this.#updated++
    let changed = isSame ? 0 : this.#compare()
    if (areVectorsNew || areVectorsGone) changed |= this.#vectorsLayer
    this.#addTombstone(id, changed)
    this.#chunk.add(id, changed, externalId, record)
  }

  /** Compares old and new fields in parallel; returns the layers that the change affects. */
  #compare(): number {
    const before = this.#old
    const after = this.#new
    let changed = this.#always
    let i = 0
    let j = 0
    while (i < before.count || j < after.count) {
      const oldField = i < before.count ? before.ids[i]! : Number.MAX_SAFE_INTEGER
      const newField = j < after.count ? after.ids[j]! : Number.MAX_SAFE_INTEGER
      if (oldField === newField) {
        if (!equalBytes(before.value(i), after.value(j)))
          changed |= this.#plan.field(oldField).reached
        i++
        j++
      } else if (oldField < newField) {
        this.#count(oldField, -1)
        changed |= this.#plan.field(oldField).reached
        i++
      } else {
        this.#count(newField, 1)
        changed |= this.#plan.field(newField).reached
        j++
      }
    }
    return changed
  }

  #delete(id: number, old: Uint8Array): void {
    this.#deleted++
    this.#vectors.removed(this.#vectors.storedOf(id))
    this.#old.read(old)
    for (let f = 0; f < this.#old.count; f++) this.#count(this.#old.ids[f]!, -1)
    this.#addTombstone(id, allLayerBits())
  }

  #count(field: number, by: number): void {
    this.#counts = withRoom(this.#counts, field + 1)
    this.#counts[field]! += by
  }

  #addTombstone(id: number, layers: number): void {
    this.#dead.push(id)
    this.#deadIn.push(layers)
  }

  /** Finds the live copies of the dead ids, segment by segment. */
  #tombstones(): Map<number, IdSet> {
    const tombstones = new Map<number, IdSet>()
    for (const layer of LAYERS) {
      const bit = layerBit(layer.name)
      const ids = IdSet.ofSorted(
        Uint32Array.from(this.#dead.filter((_, i) => (this.#deadIn[i]! & bit) !== 0)),
      )
      if (ids.isEmpty) continue
      for (const { ref, reader, dead } of this.#context.view.layer(layer)) {
        const died = ids.and(layer.ids(reader)).andNot(dead)
        if (!died.isEmpty) tombstones.set(ref.segment, died)
      }
    }
    return tombstones
  }
}

function isAscending(ids: Uint32Array): boolean {
  for (let i = 1; i < ids.length; i++) if (ids[i - 1]! > ids[i]!) return false
  return true
}
