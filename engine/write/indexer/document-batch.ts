// Runs the document operations of one batch against a view: determines which documents are new,
// changed or removed, which records go into new segments, and which old copies die. Nothing is
// visible before the result is committed.
//
// Documents are processed in ascending order of their ids, so segments are sorted; an unchanged
// document costs one comparison. A document whose searched and faceted fields did not change goes
// into the documents layer only.
import { equalBytes, withRoom } from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import type { DocId, FieldId, SegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { VectorEntry } from '../../../format/vectors/index.ts'
import type { OpenView } from '../../read/segments/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import {
  allLayerBits,
  anyFieldBits,
  type FieldPlan,
  LAYERS,
  layerBit,
  planOfLayers,
  vectorsProfile,
} from '../../store/layers/index.ts'
import { DocumentVectors, type VectorCounts, type VectorMaker } from '../vectors/index.ts'
import { type Chunk, ChunkBuilder } from './chunk.ts'
import { DocumentFolder, type FoldContext } from './fold.ts'
import { FreeIds } from './free-ids.ts'
import type { ResolvedOperations } from './operations.ts'

/** The inputs of a batch in addition to its operations. */
export type BatchContext = FoldContext & {
  readonly view: OpenView
  readonly settings: IndexSettings
  /** Bytes of records that a chunk holds before it is built. */
  readonly chunkBytesMax: number
  /** Estimated bytes of the records of all documents. */
  readonly recordBytes: number
  /** Receives each full chunk, in order. */
  readonly build: (chunk: Chunk) => void
  /** Computes vectors that documents do not contain. */
  readonly vectorMaker: VectorMaker
  /** Called regularly with the number of documents examined since the last call; throws to stop. */
  readonly progress: (documents: number) => void
}

export type BatchChanges = {
  /** By segment number: ids whose copy there is dead from now on. */
  readonly tombstones: ReadonlyMap<SegmentNo, IdSet>
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
  readonly #vectorsLayer = layerBit(vectorsProfile.name)
  readonly #folder: DocumentFolder
  readonly #old = new RecordFields()
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
    this.#folder = new DocumentFolder(operations, context, this.#plan, this.#vectors)
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

  #document(document: number, id: DocId, isNew: boolean): void {
    const old = isNew ? null : this.#context.view.record(id)
    const record = this.#folder.fold(document, old)
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

  #insert(id: DocId, externalId: Uint8Array, record: Uint8Array): void {
    this.#added++
    const fields = this.#folder.read(record)
    let into = this.#always
    for (let f = 0; f < fields.count; f++) {
      const field = fields.ids[f]!
      this.#count(field, 1)
      into |= this.#plan.field(field).reached
    }
    if (this.#decideVectors(externalId, null, record, [])) into |= this.#vectorsLayer
    this.#chunk.add(id, into, externalId, record)
  }

  /**
   * Returns whether the document needs a new copy in the vectors layer.
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
    const { order, given, otherNames } = this.#folder
    const { ids, count } = this.#folder.read(after)
    const fields = Array.from(ids.subarray(0, count), (id) => names.name(id))
    const document = { externalId, before, after, order, given, stored }
    return this.#vectors.decide(document, fields, otherNames)
  }

  #replace(id: DocId, externalId: Uint8Array, old: Uint8Array, record: Uint8Array): void {
    const isSame = equalBytes(old, record)
    if (isSame && !this.#vectors.isUsed) {
      this.#unchanged++
      return
    }
    this.#old.read(old)
    const { isRemade } = this.#folder
    const had = this.#vectors.isUsed ? this.#vectors.storedOf(id) : []
    if (isRemade) this.#vectors.removed(had)
    const stored = isRemade ? [] : had
    const before = isRemade ? null : old
    const areVectorsNew = this.#decideVectors(externalId, before, record, stored)
    const areVectorsGone = had.length > stored.length
    if (isSame && !areVectorsNew && !areVectorsGone) {
      this.#vectors.undo()
      this.#unchanged++
      return
    }
    this.#updated++
    let changed = isSame ? 0 : this.#compare(this.#folder.read(record))
    if (areVectorsNew || areVectorsGone) changed |= this.#vectorsLayer
    this.#addTombstone(id, changed)
    this.#chunk.add(id, changed, externalId, record)
  }

  /** Compares old and new fields in parallel; returns the layers that the change affects. */
  #compare(after: RecordFields): number {
    const before = this.#old
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

  #delete(id: DocId, old: Uint8Array): void {
    this.#deleted++
    this.#vectors.removed(this.#vectors.storedOf(id))
    this.#old.read(old)
    for (let f = 0; f < this.#old.count; f++) this.#count(this.#old.ids[f]!, -1)
    this.#addTombstone(id, allLayerBits())
  }

  #count(field: FieldId, by: number): void {
    this.#counts = withRoom(this.#counts, field + 1)
    this.#counts[field]! += by
  }

  #addTombstone(id: DocId, layers: number): void {
    this.#dead.push(id)
    this.#deadIn.push(layers)
  }

  /** Finds the live copies of the dead ids, segment by segment. */
  #tombstones(): Map<SegmentNo, IdSet> {
    const tombstones = new Map<SegmentNo, IdSet>()
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
