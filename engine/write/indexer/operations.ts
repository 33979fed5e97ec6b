// The document operations of a batch, resolved by external id: the affected documents, the order in
// which they first occur, and the steps of each.
//
// A task with an invalid document has no effect: all its documents are checked before any is added.
import { lengthened } from '../../../format/bytes/index.ts'
import { Members } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Holdings } from '../../network/records/index.ts'
import { inferPrimaryKey, PrimaryKey, readBody } from '../intake/index.ts'
import { ExternalIdTable } from './id-table.ts'

const decoder = new TextDecoder()

/** The operation of one task in a batch, in task order. */
export type Operation =
  | {
      readonly kind: 'import'
      readonly method: 'replace' | 'update'
      /** Documents one after another, as the intake stored them. */
      readonly body: Uint8Array
      /** Requested by the client, or null. */
      readonly primaryKey: string | null
      readonly skipCreation: boolean
    }
  | { readonly kind: 'delete-ids'; readonly ids: readonly string[] }
  /**
   * The filter was evaluated; these are external ids of documents that existed before the batch.
   */
  | { readonly kind: 'delete-found'; readonly ids: Iterable<Uint8Array> }
  /** Each of these existing documents is replaced by the result of the batch's editor. */
  | { readonly kind: 'edit'; readonly ids: Iterable<Uint8Array> }

/**
 * The result of an operation. `documents`: distinct ids of an import, or number of ids to delete.
 */
export type OperationResult = { readonly fault: EngineFault | null; readonly documents: number }

/** The kinds of steps of one document. */
export const STEP_DELETE = 0
const STEP_REPLACE = 1
export const STEP_UPDATE = 2
export const STEP_EDIT = 3

export class ResolvedOperations {
  readonly ids = new ExternalIdTable()
  readonly results: OperationResult[] = []
  primaryKey: string | null
  /**
   * Top-level names of the document from which the primary key was inferred, in its order; empty if
   * the key was requested.
   */
  namesOfFirst: readonly string[] = []
  readonly #operations: readonly Operation[]
  readonly #holdings: Holdings | null
  /** By document: its first and last step, -1 for none. */
  #first = new Int32Array(256).fill(-1)
  #last = new Int32Array(256)
  /** By document: the last operation that contained it, for counting distinct ids. */
  #metBy = new Int32Array(256).fill(-1)
  /**
   * By step: the operation, the range of the document in its body, the next step of the same
   * document.
   */
  #stepOperation = new Uint32Array(256)
  #stepStart = new Float64Array(256)
  #stepEnd = new Float64Array(256)
  #stepNext = new Int32Array(256)
  #steps = 0
  readonly #members = new Members()

  /**
   * `primaryKey`: of the index, or null if it has none. `holdings`: imports skip documents of
   * shards that this instance does not hold; null: it holds all.
   */
  constructor(
    primaryKey: string | null,
    operations: readonly Operation[],
    holdings: Holdings | null = null,
  ) {
    this.primaryKey = primaryKey
    this.#operations = operations
    this.#holdings = holdings
  }

  /** Resolves the next operation. Called once for each, in order. */
  resolve(index: number): OperationResult {
    const operation = this.#operations[index]!
    const result = this.#resolve(operation, index)
    this.results.push(result)
    return result
  }

  get documentCount(): number {
    return this.ids.count
  }

  /** Returns the first step of a document, or -1. */
  firstStep(document: number): number {
    return this.#first[document]!
  }

  nextStep(step: number): number {
    return this.#stepNext[step]!
  }

  /** Returns the kind of a step: STEP_DELETE, STEP_REPLACE, STEP_UPDATE or STEP_EDIT. */
  stepKind(step: number): number {
    const operation = this.#operations[this.#stepOperation[step]!]!
    if (operation.kind === 'edit') return STEP_EDIT
    if (operation.kind !== 'import') return STEP_DELETE
    return operation.method === 'replace' ? STEP_REPLACE : STEP_UPDATE
  }

  /** Returns whether the step ignores a document that does not exist. */
  skipsCreation(step: number): boolean {
    const operation = this.#operations[this.#stepOperation[step]!]!
    return operation.kind === 'import' && operation.skipCreation
  }

  stepBody(step: number): Uint8Array {
    const operation = this.#operations[this.#stepOperation[step]!]!
    return operation.kind === 'import' ? operation.body : new Uint8Array(0)
  }

  stepStart(step: number): number {
    return this.#stepStart[step]!
  }

  stepEnd(step: number): number {
    return this.#stepEnd[step]!
  }

  #resolve(operation: Operation, index: number): OperationResult {
    if (operation.kind !== 'import') {
      const ids =
        operation.kind === 'delete-ids' ? operation.ids.map((id) => Buffer.from(id)) : operation.ids
      let documents = 0
      for (const id of ids) {
        this.#step(this.ids.add(id), index, 0, 0)
        documents++
      }
      return { fault: null, documents }
    }
    try {
      return { fault: null, documents: this.#import(operation, index) }
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      if (this.primaryKey === null) this.namesOfFirst = []
      return { fault: error, documents: 0 }
    }
  }

  #import(operation: Operation & { kind: 'import' }, index: number): number {
    const { body } = operation
    const checked = this.#check(body, operation.primaryKey)
    if (checked === null) {
      this.primaryKey ??= operation.primaryKey
      return 0
    }
    this.primaryKey = checked.primaryKey
    let distinct = 0
    let idStart = 0
    for (let d = 0; d < checked.count; d++) {
      const idEnd = checked.idEnds[d]!
      const id = checked.ids.subarray(idStart, idEnd)
      idStart = idEnd
      if (this.#holdings?.holds(id) === false) continue
      const document = this.ids.add(id)
      this.#reserveDocument(document)
      if (this.#metBy[document] !== index) distinct++
      this.#metBy[document] = index
      this.#step(document, index, checked.starts[d]!, checked.ends[d]!)
    }
    return distinct
  }

  /**
   * Reads the id of every document of a body; returns null for a body without documents. @throws
   * EngineFault
   */
  #check(body: Uint8Array, requestedKey: string | null): CheckedBody | null {
    const reader = readBody(body)
    if (!reader.next()) return null
    this.#members.scan(body, reader.start)
    const key = new PrimaryKey(this.#primaryKeyFor(requestedKey))
    const checked = new CheckedBody(key.name)
    do {
      this.#members.scan(body, reader.start)
      checked.add(key.externalId(body, reader.start, this.#members), reader.start, reader.end)
    } while (reader.next())
    return checked
  }

  /** Returns the primary key for an import whose first document was scanned. @throws EngineFault */
  #primaryKeyFor(requestedKey: string | null): string {
    if (this.primaryKey === null) {
      if (requestedKey !== null) return requestedKey
      const inferred = inferPrimaryKey(this.#members)
      this.namesOfFirst = Array.from({ length: this.#members.count }, (_, i) =>
        decoder.decode(this.#members.key(i)),
      )
      return inferred
    }
    if (requestedKey !== null && requestedKey !== this.primaryKey) {
      throw new EngineFault(
        'index_primary_key_already_exists',
        `Index already has a primary key: \`${this.primaryKey}\`.`,
      )
    }
    return this.primaryKey
  }

  #step(document: number, operation: number, start: number, end: number): void {
    this.#reserveDocument(document)
    const step = this.#steps++
    if (step === this.#stepNext.length) this.#growSteps()
    this.#stepOperation[step] = operation
    this.#stepStart[step] = start
    this.#stepEnd[step] = end
    this.#stepNext[step] = -1
    if (this.#first[document]! < 0) this.#first[document] = step
    else this.#stepNext[this.#last[document]!] = step
    this.#last[document] = step
  }

  #reserveDocument(document: number): void {
    const size = this.#first.length
    if (document < size) return
    this.#first = widen(this.#first, size * 2)
    this.#last = widen(this.#last, size * 2)
    this.#metBy = widen(this.#metBy, size * 2)
  }

  #growSteps(): void {
    const size = this.#stepNext.length * 2
    this.#stepOperation = lengthened(this.#stepOperation, size)
    this.#stepStart = lengthened(this.#stepStart, size)
    this.#stepEnd = lengthened(this.#stepEnd, size)
    this.#stepNext = widen(this.#stepNext, size)
  }
}

/** Returns a longer copy; new elements are -1. */
function widen(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const out = new Int32Array(size).fill(-1, array.length)
  out.set(array)
  return out
}

/** The documents of one body with their ids. */
class CheckedBody {
  readonly primaryKey: string
  count = 0
  ids = new Uint8Array(1 << 10)
  idEnds = new Uint32Array(64)
  starts = new Float64Array(64)
  ends = new Float64Array(64)

  constructor(primaryKey: string) {
    this.primaryKey = primaryKey
  }

  add(id: Uint8Array, start: number, end: number): void {
    if (this.count === this.idEnds.length) this.#grow()
    const from = this.count === 0 ? 0 : this.idEnds[this.count - 1]!
    const to = from + id.length
    if (to > this.ids.length) this.ids = lengthened(this.ids, Math.max(to, this.ids.length * 2))
    this.ids.set(id, from)
    this.idEnds[this.count] = to
    this.starts[this.count] = start
    this.ends[this.count++] = end
  }

  #grow(): void {
    const size = this.count * 2
    this.idEnds = lengthened(this.idEnds, size)
    this.starts = lengthened(this.starts, size)
    this.ends = lengthened(this.ends, size)
  }
}
