// The document operations of a batch, resolved by external id: the affected documents, the order in
// which they first occur, and the steps of each.
//
// A task with an invalid document has no effect: all its documents are checked before any is added.
import { decoder, lengthened } from '../../../format/bytes/index.ts'
import { Members } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Holdings } from '../../network/records/index.ts'
import { inferPrimaryKey, PrimaryKey, readBody } from '../intake/index.ts'
import type { ImportContent } from '../task-data/index.ts'
import { ExternalIdTable } from './id-table.ts'
import type { OperationOutcome } from './protocol.ts'

/** The kinds of steps of one document. */
export const STEP_DELETE = 0
const STEP_REPLACE = 1
export const STEP_UPDATE = 2
export const STEP_EDIT = 3

const NO_BODY = new Uint8Array(0)

/** An operation as its steps need it. */
type Resolved = {
  /** The kind of its steps. */
  readonly kind: number
  /** Documents one after another, as the intake stored them; empty unless it is an import. */
  readonly body: Uint8Array
  readonly skipsCreation: boolean
}

export const failed = ({ code, message }: EngineFault): OperationOutcome => ({
  fault: { code, message },
  documents: 0,
})

export class ResolvedOperations {
  readonly ids = new ExternalIdTable()
  primaryKey: string | null
  /**
   * Top-level names of the document from which the primary key was inferred, in its order; empty if
   * the key was requested.
   */
  namesOfFirst: readonly string[] = []
  /** Bytes of all bodies, which approximate those of the records. */
  bodyBytes = 0
  readonly #operations: Resolved[] = []
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
  constructor(primaryKey: string | null, holdings: Holdings | null = null) {
    this.primaryKey = primaryKey
    this.#holdings = holdings
  }

  /** Adds an import. Returns its fault, or the number of its distinct ids. */
  import({ method, primaryKey, skipCreation }: ImportContent, body: Uint8Array): OperationOutcome {
    const kind = method === 'replace' ? STEP_REPLACE : STEP_UPDATE
    this.#operations.push({ kind, body, skipsCreation: skipCreation })
    this.bodyBytes += body.length
    try {
      return { fault: null, documents: this.#import(body, primaryKey) }
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      if (this.primaryKey === null) this.namesOfFirst = []
      return failed(error)
    }
  }

  /** Adds the deletion of documents, existing or not. */
  delete(ids: Iterable<Uint8Array>): void {
    this.#change(STEP_DELETE, ids)
  }

  /** Adds an edition: each of these existing documents is replaced by the editor's result. */
  edit(ids: Iterable<Uint8Array>): void {
    this.#change(STEP_EDIT, ids)
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
    return this.#operations[this.#stepOperation[step]!]!.kind
  }

  /** Returns whether the step ignores a document that does not exist. */
  skipsCreation(step: number): boolean {
    return this.#operations[this.#stepOperation[step]!]!.skipsCreation
  }

  stepBody(step: number): Uint8Array {
    return this.#operations[this.#stepOperation[step]!]!.body
  }

  stepStart(step: number): number {
    return this.#stepStart[step]!
  }

  stepEnd(step: number): number {
    return this.#stepEnd[step]!
  }

  #change(kind: number, ids: Iterable<Uint8Array>): void {
    this.#operations.push({ kind, body: NO_BODY, skipsCreation: false })
    const index = this.#operations.length - 1
    for (const id of ids) this.#step(this.ids.add(id), index, 0, 0)
  }

  #import(body: Uint8Array, requestedKey: string | null): number {
    const index = this.#operations.length - 1
    const checked = this.#check(body, requestedKey)
    if (checked === null) {
      this.primaryKey ??= requestedKey
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
