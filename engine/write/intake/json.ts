// JSON and NDJSON bodies. A stream of documents is stored unchanged; an array of documents, or one
// document, is converted to canonical documents one after another, so that a stored body is always
// a stream.
import { BRACE, BRACKET } from '../../../format/bytes/index.ts'
import { Canonical, JsonBuffer, JsonScanner, kindText } from '../../../format/json/index.ts'
import type { EngineFault } from '../../model/index.ts'
import type { BodySink, Intake, IntakeResult } from './contract.ts'
import { type BodyKind, jsonFault, malformedJson, missingPayload } from './faults.ts'

/** Converted documents are passed on in pieces of about this size. */
const PIECE_BYTES = 65536
/** Bytes above which a buffer that a large document enlarged is released. */
const REUSED_BYTES_MAX = 1 << 20
const NEITHER = 'data are neither an object nor a list of objects'

export class JsonIntake implements Intake {
  readonly #kind: BodyKind
  readonly #sink: BodySink
  readonly #scanner: JsonScanner
  readonly #canonical = new Canonical(true)
  #out = new JsonBuffer(PIECE_BYTES)
  /** The beginning of a document that continues in the next chunk. */
  #partial = new JsonBuffer(1024)
  #documents = 0
  #isEmpty = true

  constructor(kind: 'json' | 'ndjson', sink: BodySink) {
    this.#kind = kind
    this.#sink = sink
    this.#scanner = new JsonScanner(kind === 'json' ? 'upload' : 'stream')
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#isEmpty = false
    const scanner = this.#scanner
    scanner.feed(chunk)
    while (scanner.next()) this.#document(chunk)
    if (scanner.fault !== null) throw jsonFault(this.#kind, scanner.fault, scanner.faultByte)
    if (this.#kind === 'ndjson') this.#sink(chunk)
    if (scanner.inDocument && this.#needsBytes()) {
      this.#partial.append(chunk, Math.max(0, scanner.documentStart - scanner.base), chunk.length)
    }
  }

  finish(): IntakeResult {
    if (this.#isEmpty) throw missingPayload(this.#kind)
    const scanner = this.#scanner
    if (scanner.finish()) throw this.#noObject(this.#partial.bytes, 0, this.#partial.length)
    if (scanner.fault !== null) throw jsonFault(this.#kind, scanner.fault)
    if (this.#out.length > 0) this.#sink(this.#out.view())
    this.#out.clear()
    return { documents: this.#documents }
  }

  /** Returns whether the bytes of the present document are needed at its end. */
  #needsBytes(): boolean {
    if (this.#kind === 'json') return true
    return this.#scanner.documentFirst !== BRACE && this.#scanner.documentFirst !== BRACKET
  }

  /** Handles a document that ended in this chunk. */
  #document(chunk: Uint8Array): void {
    const scanner = this.#scanner
    let bytes = chunk
    let start = scanner.documentStart - scanner.base
    let end = scanner.documentEnd - scanner.base
    if (start < 0 && this.#needsBytes()) {
      this.#partial.append(chunk, 0, end)
      bytes = this.#partial.bytes
      start = 0
      end = this.#partial.length
    }
    if (scanner.documentFirst !== BRACE) throw this.#noObject(bytes, start, end)
    this.#documents++
    if (this.#kind === 'json') this.#convert(bytes, start)
    this.#partial.clear()
    if (this.#partial.bytes.length > REUSED_BYTES_MAX) this.#partial = new JsonBuffer(1024)
  }

  #convert(bytes: Uint8Array, start: number): void {
    this.#canonical.write(bytes, start, this.#out)
    if (this.#out.length < PIECE_BYTES) return
    this.#sink(this.#out.view())
    this.#out.clear()
    if (this.#out.bytes.length > REUSED_BYTES_MAX) this.#out = new JsonBuffer(PIECE_BYTES)
  }

  /** Returns the fault of a value that is not an object where a document is expected. */
  #noObject(bytes: Uint8Array, start: number, end: number): EngineFault {
    const scanner = this.#scanner
    if (this.#kind === 'json' && !scanner.inList) return malformedJson(this.#kind, NEITHER)
    const isList = scanner.documentFirst === BRACKET
    const what = isList ? 'sequence' : kindText(bytes, start, end)
    const message = `invalid type: ${what}, expected a map`
    return jsonFault(this.#kind, scanner.documentFault(message, isList ? 'before' : 'behind'))
  }
}
