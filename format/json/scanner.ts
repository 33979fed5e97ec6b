// The checking reader: checks that a text is JSON, finds the ends of its documents and the first
// fault · ./JSON.md
//
// A push parser over bytes. All state survives the end of a chunk; of the bytes only a number that
// was cut is kept. `#structure` handles everything between tokens, the other methods one token
// each. Offsets in fields count from the first chunk, `at` in methods is within the current one.
// The tables are in grammar.ts, the messages in faults.ts; escapes.ts and number-reader.ts
// read these parts of strings and values.
//
// Invariants: `#line` and `#lineStart` count the newlines before `#at` · entry d of `#objects` is 1
// while the d-th open bracket is a brace · after a fault nothing changes.
import { BACKSLASH, NEWLINE, QUOTE } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { endMessage } from './end-message.ts'
import { ESCAPE_WRONG, EscapeReader } from './escapes.ts'
import {
  CONTROL_CHARACTER,
  EXPECTED_COLON,
  EXPECTED_IDENT,
  EXPECTED_LIST_COMMA,
  EXPECTED_OBJECT_COMMA,
  EXPECTED_VALUE,
  INVALID_NUMBER,
  INVALID_UNICODE,
  type JsonFault,
  KEY_MUST_BE_A_STRING,
  NUMBER_OUT_OF_RANGE,
  RECURSION_LIMIT,
  TRAILING_CHARACTERS,
  TRAILING_COMMA,
} from './faults.ts'
import {
  AFTER,
  ARRAY_END,
  BETWEEN_LAST,
  COLON,
  DEPTH_MAX,
  ELEMENT,
  END,
  ESCAPE,
  ESCAPE_LAST,
  FIRST_ELEMENT,
  FIRST_KEY,
  IDENT,
  IGNORE,
  identOf,
  KEY,
  NEXT,
  NUMBER,
  NUMBER_COMPLETE,
  STRING,
  VALUE,
} from './grammar.ts'
import { NumberReader } from './number-reader.ts'
import { Utf8Check } from './utf8.ts'

/** The kinds of texts: see the table in JSON.md. */
export type JsonTextKind = 'value' | 'upload' | 'stream'

const EMPTY = new Uint8Array(0)

export class JsonScanner {
  readonly #kind: JsonTextKind
  #chunk: Uint8Array = EMPTY
  #at = 0
  #base = 0
  #state = VALUE
  #line = 1
  #lineStart = 0
  #depth = 0
  readonly #objects = new Uint8Array(DEPTH_MAX + 3)
  /** Number of open brackets around a document. */
  #documentDepth = 0
  /** Number of open brackets from which on the messages are those of documents. */
  #rawDepth = Infinity
  #inKey = false
  #ident: readonly number[] = []
  #count = 0
  readonly #escapes = new EscapeReader()
  readonly #numbers = new NumberReader()
  readonly #utf8 = new Utf8Check()
  #ended = false

  /** The first fault, or null. */
  fault: JsonFault | null = null
  /** The byte that is wrong; without a meaning if the text ends too early. */
  faultByte = 0
  /**
   * Offset of the document that began last and, after `next` returned true, of its end. From the
   * first chunk on.
   */
  documentStart = 0
  documentEnd = 0
  /** Its first byte: `{` for an object. */
  documentFirst = 0
  #documentLine = 1
  #documentColumn = 0

  constructor(kind: JsonTextKind) {
    this.#kind = kind
    if (kind === 'stream') {
      this.#state = NEXT
      this.#rawDepth = 0
    }
  }

  /** Offset of the current chunk's first byte in the whole text. */
  get base(): number {
    return this.#base
  }

  /** True if a document has begun and not ended. */
  get inDocument(): boolean {
    if (this.#depth > this.#documentDepth) return true
    return this.#depth === this.#documentDepth && this.#state > BETWEEN_LAST
  }

  /** True if the documents are elements of an array. */
  get inList(): boolean {
    return this.#documentDepth === 1
  }

  /**
   * Returns a fault found by the caller, located before the first or after the last byte of the
   * last document.
   */
  documentFault(problem: string, place: 'before' | 'behind'): JsonFault {
    if (place === 'before') {
      return { problem, line: this.#documentLine, column: this.#documentColumn }
    }
    return { problem, line: this.#line, column: this.#base + this.#at - this.#lineStart }
  }

  /** Accepts the next chunk; the one before must have been read to its end. */
  feed(chunk: Uint8Array): void {
    assert(this.#at === this.#chunk.length || this.fault !== null, 'a chunk is read to its end')
    this.#base += this.#chunk.length
    this.#chunk = chunk
    this.#at = 0
    if (this.#state !== IGNORE) this.#utf8.add(chunk)
  }

  /**
   * Reads on. Returns true at the end of a document, false at the end of the chunk or after a
   * fault.
   */
  next(): boolean {
    this.#ended = false
    while (this.#at < this.#chunk.length && this.fault === null) {
      const state = this.#state
      if (state <= BETWEEN_LAST) this.#structure()
      else if (state === STRING) this.#string()
      else if (state <= ESCAPE_LAST) this.#escape()
      else if (state >= NUMBER) this.#number()
      else this.#word()
      if (this.#ended) return this.fault === null
    }
    if (this.#state >= NUMBER && this.fault === null) {
      this.#numbers.store(this.#chunk, this.#base, this.#at)
    }
    return false
  }

  /** Ends the text. Returns true if that ended a document: a number with nothing after it. */
  finish(): boolean {
    if (this.fault !== null) return false
    this.#ended = false
    const state = this.#state
    if (state >= NUMBER_COMPLETE && this.#depth === 0) {
      this.#endNumber(this.#at, true)
      return this.#ended && this.fault === null
    }
    if (state >= NEXT && state <= BETWEEN_LAST) return false
    const isObject = this.#objects[this.#depth] === 1
    this.#refuse(endMessage(state, isObject, this.#depth - this.#rawDepth), this.#at)
    return false
  }

  /** Returns true inside of a document whose messages are those of documents. */
  #rawInside(): boolean {
    return this.#depth > this.#rawDepth
  }

  /** Reads white space, then one byte between tokens or the first byte of a token. */
  #structure(): void {
    const chunk = this.#chunk
    const end = chunk.length
    let at = this.#at
    let c = 0
    for (; at < end; at++) {
      c = chunk[at]!
      if (c > 32) break
      if (c === NEWLINE) {
        this.#line++
        this.#lineStart = this.#base + at + 1
      } else if (c !== 32 && c !== 9 && c !== 13) break
    }
    this.#at = at
    if (at === end) return
    switch (this.#state) {
      case FIRST_KEY:
        if (c === 0x7d) this.#close(at)
        else this.#key(c, at)
        return
      case KEY:
        if (c === 0x7d && !this.#rawInside()) this.#refuse(TRAILING_COMMA, at + 1)
        else this.#key(c, at)
        return
      case COLON:
        if (c !== 0x3a) this.#refuse(EXPECTED_COLON, at + 1)
        this.#at = at + 1
        this.#state = VALUE
        return
      case AFTER:
        this.#after(c, at)
        return
      case FIRST_ELEMENT:
        if (c === 0x5d) this.#close(at)
        else this.#value(c, at)
        return
      case ELEMENT:
        if (c === 0x5d && !this.#rawInside()) this.#refuse(TRAILING_COMMA, at + 1)
        else this.#value(c, at)
        return
      case END:
        this.#refuse(TRAILING_CHARACTERS, at + 1)
        return
      case ARRAY_END:
        // Further documents would be lost.
        if (c === 0x5b || c === 0x7b || c === 0x2c) this.#refuse(TRAILING_CHARACTERS, at + 1)
        else this.#state = IGNORE
        return
      case IGNORE:
        this.#at = end
        return
      default:
        this.#value(c, at)
    }
  }

  #key(c: number, at: number): void {
    if (c !== QUOTE) {
      this.#refuse(KEY_MUST_BE_A_STRING, at + 1)
      return
    }
    this.#inKey = true
    this.#state = STRING
    this.#at = at + 1
  }

  #after(c: number, at: number): void {
    const inObject = this.#objects[this.#depth] === 1
    if (c === 0x2c) {
      this.#state = inObject ? KEY : ELEMENT
      this.#at = at + 1
    } else if (c === (inObject ? 0x7d : 0x5d)) {
      this.#close(at)
    } else {
      this.#refuse(inObject ? EXPECTED_OBJECT_COMMA : EXPECTED_LIST_COMMA, at + 1)
    }
  }

  #value(c: number, at: number): void {
    if (this.#depth === 0 && this.#kind === 'upload' && c === 0x5b) {
      this.#documentDepth = 1
      this.#rawDepth = 1
    } else if (this.#depth === this.#documentDepth) {
      this.documentStart = this.#base + at
      this.documentFirst = c
      this.#documentLine = this.#line
      this.#documentColumn = this.documentStart - this.#lineStart
    }
    this.#at = at + 1
    if (c === QUOTE) {
      this.#inKey = false
      this.#state = STRING
    } else if (c === 0x7b || c === 0x5b) {
      this.#open(c, at)
    } else if (c === 0x2d || (c >= 0x30 && c <= 0x39)) {
      this.#state = this.#numbers.begin(this.#base + at, c)
    } else {
      const ident = identOf(c)
      if (ident === null) {
        this.#refuse(EXPECTED_VALUE, at + 1)
        return
      }
      this.#ident = ident
      this.#count = 0
      this.#state = IDENT
    }
  }

  #open(c: number, at: number): void {
    if (this.#depth - this.#documentDepth >= DEPTH_MAX) {
      this.#refuse(RECURSION_LIMIT, at + 1)
      return
    }
    this.#depth++
    this.#objects[this.#depth] = c === 0x7b ? 1 : 0
    this.#state = c === 0x7b ? FIRST_KEY : FIRST_ELEMENT
  }

  #close(at: number): void {
    this.#at = at + 1
    this.#depth--
    if (this.#depth < this.#documentDepth) this.#state = ARRAY_END
    else this.#complete(at + 1)
  }

  /** Ends a value before `at`. */
  #complete(at: number): void {
    this.#state = AFTER
    if (this.#depth > this.#documentDepth) return
    this.documentEnd = this.#base + at
    this.#ended = true
    if (this.#utf8.firstBad < this.documentEnd) this.#refuse(INVALID_UNICODE, at)
    if (this.#depth === 0) this.#state = this.#kind === 'stream' ? NEXT : END
  }

  #string(): void {
    const chunk = this.#chunk
    const end = chunk.length
    let at = this.#at
    let c = 0
    for (; at < end; at++) {
      c = chunk[at]!
      if (c === QUOTE || c === BACKSLASH || c < 32) break
    }
    if (at === end) {
      this.#at = at
      return
    }
    this.#at = at + 1
    if (c === BACKSLASH) {
      this.#state = ESCAPE
    } else if (c === QUOTE) {
      if (this.#depth < this.#rawDepth && this.#utf8.firstBad < this.#base + at) {
        this.#refuse(INVALID_UNICODE, at + 1)
      } else if (this.#inKey) this.#state = COLON
      else this.#complete(at + 1)
    } else {
      this.#refuse(CONTROL_CHARACTER, this.#depth < this.#rawDepth ? at + 1 : at)
    }
  }

  #escape(): void {
    const at = this.#at++
    const c = this.#chunk[at]!
    // After a newline in an escape there is a fault, in the same or in one of the next three bytes.
    if (c === NEWLINE) {
      this.#line++
      this.#lineStart = this.#base + at + 1
    }
    const next = this.#escapes.step(this.#state, c)
    if (next === ESCAPE_WRONG) this.#refuse(this.#escapes.message, at + 1)
    else this.#state = next
  }

  #word(): void {
    const chunk = this.#chunk
    while (this.#at < chunk.length) {
      const at = this.#at++
      if (chunk[at] !== this.#ident[this.#count]) {
        this.#refuse(EXPECTED_IDENT, at + 1)
        return
      }
      if (++this.#count === this.#ident.length) {
        this.#complete(at + 1)
        return
      }
    }
  }

  #number(): void {
    const at = this.#numbers.read(this.#chunk, this.#at, this.#state)
    this.#state = this.#numbers.state
    this.#at = at
    if (at === this.#chunk.length) return
    if (this.#numbers.isWrong) this.#refuse(INVALID_NUMBER, at + 1)
    else this.#endNumber(at, false)
  }

  /** Ends a number before `at`; `isLast`: the text ends there. */
  #endNumber(at: number, isLast: boolean): void {
    const isInRange = this.#numbers.isInRange(this.#chunk, this.#base, at, isLast)
    if (isInRange) this.#complete(at)
    else this.#refuse(NUMBER_OUT_OF_RANGE, at)
  }

  /** Records the first fault; `at` bytes of the chunk count as read. */
  #refuse(problem: string, at: number): void {
    if (this.fault !== null) return
    // A wrong newline has not been counted, unless it is in an escape.
    const column = this.#base + at - this.#lineStart
    const isNewLine = at > 0 && this.#chunk[at - 1] === NEWLINE && column > 0
    const line = this.#line + (isNewLine ? 1 : 0)
    this.fault = { problem, line, column: isNewLine ? 0 : column }
    this.faultByte = (at > 0 ? this.#chunk[at - 1] : undefined) ?? 0
  }
}
