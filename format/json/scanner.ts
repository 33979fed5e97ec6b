// The checking reader: checks that a text is JSON, finds the ends of its documents and the first
// fault · ./JSON.md
//
// A push parser over bytes. All state survives the end of a chunk; of the bytes only a number that
// was cut is kept. `#structure` handles everything between tokens, the other methods one token
// each. Offsets in fields count from the first chunk, `at` in methods is within the current one.
// The file is long because the steps of one machine share its state; the tables are in grammar.ts,
// the messages in faults.ts.
//
// Invariants: `#line` and `#lineStart` count the newlines before `#at` · entry d of `#objects` is 1
// while the d-th open bracket is a brace · after a fault nothing changes.
import { assert } from '../errors.ts'
import { JsonBuffer } from './buffer.ts'
import {
  CONTROL_CHARACTER,
  END_OF_HEX_ESCAPE,
  EOF_LIST,
  EOF_OBJECT,
  EOF_STRING,
  EOF_VALUE,
  EXPECTED_COLON,
  EXPECTED_IDENT,
  EXPECTED_LIST_COMMA,
  EXPECTED_OBJECT_COMMA,
  EXPECTED_VALUE,
  INVALID_ESCAPE,
  INVALID_NUMBER,
  INVALID_UNICODE,
  type JsonFault,
  KEY_MUST_BE_A_STRING,
  LONE_SURROGATE,
  NUMBER_OUT_OF_RANGE,
  RECURSION_LIMIT,
  TRAILING_CHARACTERS,
  TRAILING_COMMA,
} from './faults.ts'
import {
  AFTER,
  BETWEEN_LAST,
  COLON,
  DEPTH_MAX,
  ELEMENT,
  END,
  ESCAPE,
  ESCAPE_LAST,
  FIRST_ELEMENT,
  FIRST_KEY,
  HEX,
  IDENT,
  IGNORE,
  identOf,
  KEY,
  LOW_BACKSLASH,
  LOW_HEX,
  LOW_U,
  N_EXPONENT,
  N_INTEGER,
  NEXT,
  NUMBER,
  NUMBER_COMPLETE,
  NUMBER_OVER,
  NUMBER_WRONG,
  numberBegin,
  numberStep,
  STRING,
  VALUE,
} from './grammar.ts'
import { numberText } from './numbers.ts'
import { ESCAPE_MEANS, HEX_VALUE } from './strings.ts'
import { Utf8Check } from './utf8.ts'

/** The kinds of texts: see the table in JSON.md. */
export type JsonTextKind = 'value' | 'upload' | 'stream'

const NEWLINE = 10
const QUOTE = 0x22
const BACKSLASH = 0x5c
const EMPTY = new Uint8Array(0)
/** A shorter number with an exponent of fewer than three digits is within the range of doubles. */
const LARGE_NUMBER_BYTES = 200

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
  #hex = 0
  #hexGood = true
  #numberStart = 0
  readonly #numberHead = new JsonBuffer(64)
  readonly #utf8 = new Utf8Check()
  #ended = false

  /** The first fault, or null. */
  fault: JsonFault | null = null
  /** The byte that is wrong, or 0 if the text ends too early. */
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
  documentFault(message: string, place: 'before' | 'behind'): JsonFault {
    if (place === 'before') {
      return { message, line: this.#documentLine, column: this.#documentColumn }
    }
    return { message, line: this.#line, column: this.#base + this.#at - this.#lineStart }
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
    if (this.#state >= NUMBER && this.fault === null) this.#storeNumber()
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
    if (state === END || state === NEXT || state === IGNORE) return false
    this.#refuse(this.#endMessage(), this.#at)
    return false
  }

  #endMessage(): string {
    const state = this.#state
    if (state >= STRING && state <= ESCAPE_LAST) return EOF_STRING
    if (state === FIRST_ELEMENT) return EOF_LIST
    if (state === FIRST_KEY || state === COLON) return EOF_OBJECT
    if (state === KEY) return this.#rawInside() ? EOF_OBJECT : EOF_VALUE
    if (state === AFTER || state >= NUMBER_COMPLETE) {
      return this.#objects[this.#depth] === 1 ? EOF_OBJECT : EOF_LIST
    }
    if (state >= NUMBER) return this.#depth >= this.#rawDepth ? INVALID_NUMBER : EOF_VALUE
    return EOF_VALUE
  }

  /**
   * Returns true if the open brackets are inside a document whose messages are those of documents.
   */
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
      this.#numberStart = this.#base + at
      this.#numberHead.clear()
      this.#state = numberBegin(c)
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
    if (this.#depth < this.#documentDepth) this.#state = IGNORE
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

  /** Reads one byte of an escape: `\n`, `\u0041`, or the second half of a pair. */
  #escape(): void {
    const at = this.#at++
    const c = this.#chunk[at]!
    switch (this.#state) {
      case ESCAPE:
        if (ESCAPE_MEANS[c] !== 0) this.#state = STRING
        else if (c === 0x75) this.#beginHex(HEX)
        else this.#refuse(INVALID_ESCAPE, at + 1)
        return
      case LOW_BACKSLASH:
        if (c === BACKSLASH) this.#state = LOW_U
        else this.#refuse(END_OF_HEX_ESCAPE, at + 1)
        return
      case LOW_U:
        if (c === 0x75) this.#beginHex(LOW_HEX)
        else this.#refuse(END_OF_HEX_ESCAPE, at + 1)
        return
      default:
        this.#hexDigit(c, at)
    }
  }

  #beginHex(state: number): void {
    this.#state = state
    this.#count = 0
    this.#hex = 0
    this.#hexGood = true
  }

  #hexDigit(c: number, at: number): void {
    const value = HEX_VALUE[c]!
    if (value > 15) this.#hexGood = false
    if (c === NEWLINE) {
      this.#line++
      this.#lineStart = this.#base + at + 1
    }
    this.#hex = this.#hex * 16 + value
    if (++this.#count < 4) return
    const high = this.#hex >= 0xd800 && this.#hex < 0xdc00
    const low = this.#hex >= 0xdc00 && this.#hex < 0xe000
    if (!this.#hexGood) this.#refuse(INVALID_ESCAPE, at + 1)
    else if (low !== (this.#state === LOW_HEX)) this.#refuse(LONE_SURROGATE, at + 1)
    else this.#state = high ? LOW_BACKSLASH : STRING
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
    const chunk = this.#chunk
    const end = chunk.length
    let at = this.#at
    let state = this.#state
    let next = state
    for (; at < end; at++) {
      if (state >= N_INTEGER) while (at < end && (chunk[at]! ^ 0x30) < 10) at++
      if (at === end) break
      next = numberStep(state, chunk[at]!)
      if (next >= NUMBER_OVER) break
      state = next
    }
    this.#state = state
    this.#at = at
    if (at === end) return
    if (next === NUMBER_WRONG) this.#refuse(INVALID_NUMBER, at + 1)
    else this.#endNumber(at, this.#numberStart < this.#base)
  }

  /**
   * Ends a number before `at`. Only large numbers, and those cut by a chunk, are converted to check
   * their range.
   */
  #endNumber(at: number, wasCut: boolean): void {
    let large = wasCut || this.#base + at - this.#numberStart >= LARGE_NUMBER_BYTES
    if (!large && this.#state === N_EXPONENT) {
      const c = this.#chunk[at - 3]!
      large = c >= 0x30 && c <= 0x39
    }
    if (large) {
      this.#storeNumber()
      const text = numberText(this.#numberHead.bytes, 0, this.#numberHead.length)
      if (!Number.isFinite(Number(text))) {
        this.#refuse(NUMBER_OUT_OF_RANGE, at)
        return
      }
    }
    this.#complete(at)
  }

  /** Stores the current chunk's part of a number that is cut or has to be converted. */
  #storeNumber(): void {
    const from = this.#numberStart + this.#numberHead.length - this.#base
    if (from < this.#at) this.#numberHead.append(this.#chunk, from, this.#at)
  }

  /** Records the first fault; `at` bytes of the chunk count as read. */
  #refuse(message: string, at: number): void {
    if (this.fault !== null) return
    const position = this.#base + at
    let line = this.#line
    let column = position - this.#lineStart
    if (at > 0 && this.#chunk[at - 1] === NEWLINE && column > 0) {
      line++
      column = 0
    }
    this.fault = { message, line, column }
    this.faultByte = (at > 0 ? this.#chunk[at - 1] : undefined) ?? 0
  }
}

/**
 * Returns the first fault of a text that must be one value, such as the body of a route, or null.
 */
export function findFault(text: Uint8Array): JsonFault | null {
  const scanner = new JsonScanner('value')
  scanner.feed(text)
  while (scanner.next());
  scanner.finish()
  return scanner.fault
}
