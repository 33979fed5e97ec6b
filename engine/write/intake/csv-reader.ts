// Reads CSV as clients send it: RFC 4180 with tolerance. Records end with CR, LF or both; blank
// lines are skipped; a quote opens only at the beginning of a field; after a closing quote the
// field continues unquoted; an unclosed quote extends to the end of the body. The reader reports
// the position of that quote; the caller decides whether a record is valid.
import { NEWLINE, QUOTE, RETURN, withRoom } from '../../../format/bytes/index.ts'
import { JsonBuffer, Utf8Check } from '../../../format/json/index.ts'

const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

const MARK = 0
const RECORD = 1
const FIELD = 2
const PLAIN = 3
const QUOTED = 4
const QUOTE_SEEN = 5

/** A push reader: call `feed`, then `next` until it returns false, at last `finish`. */
export class CsvReader {
  readonly #delimiter: number
  /** 1 for the bytes that end an unquoted field. */
  readonly #stops = new Uint8Array(256)
  readonly #utf8 = new Utf8Check()
  #chunk: Uint8Array = new Uint8Array(0)
  #at = 0
  #base = 0
  #state = MARK
  #newlines = 0
  #records = 0
  /** Line of the quote that opened the present field. */
  #quoteLine = 0

  /** The fields of the present record, one after another, without quotes and delimiters. */
  readonly text = new JsonBuffer(1024)
  /** End of each field in `text`. */
  ends: Uint32Array = new Uint32Array(64)
  fieldCount = 0
  /**
   * Number of the record, 0 for the header, and the position of its first byte: line from 1, byte
   * from 0.
   */
  record = 0
  line = 1
  byte = 0
  /** After `finish`: the line of an unclosed quote whose field contains further rows, or 0. */
  swallowingQuoteLine = 0

  constructor(delimiter: number) {
    this.#delimiter = delimiter
    for (const stop of [delimiter, NEWLINE, RETURN]) this.#stops[stop] = 1
  }

  /** Returns whether the bytes up to the end of the present record contain invalid UTF-8. */
  get isSuspect(): boolean {
    return this.#utf8.firstBad < this.#base + this.#at
  }

  feed(chunk: Uint8Array): void {
    this.#base += this.#chunk.length
    this.#chunk = chunk
    this.#at = 0
    this.#utf8.add(chunk)
  }

  /** Reads on. Returns true at the end of a record, whose fields are valid until the next call. */
  next(): boolean {
    while (this.#at < this.#chunk.length) {
      switch (this.#state) {
        case PLAIN:
          if (this.#plain()) return true
          break
        case QUOTED:
          this.#quoted()
          break
        case QUOTE_SEEN:
          this.#afterQuote()
          break
        case FIELD:
          this.#field()
          break
        case RECORD:
          this.#between()
          break
        default:
          this.#mark()
      }
    }
    return false
  }

  /** Ends the body. Returns true if that ended a record. */
  finish(): boolean {
    this.#utf8.end()
    if (this.#state === MARK && this.text.length === 0) return false
    if (this.#state === RECORD) return false
    if (this.#state === QUOTED && this.#isLongerThanALine()) {
      this.swallowingQuoteLine = this.#quoteLine
    }
    this.#endField()
    this.#state = RECORD
    return true
  }

  /** Returns whether text follows a line break within the present field. */
  #isLongerThanALine(): boolean {
    const from = this.fieldCount === 0 ? 0 : this.ends[this.fieldCount - 1]!
    const field = this.text.bytes.subarray(from, this.text.length)
    const newline = field.indexOf(NEWLINE)
    return newline >= 0 && field.subarray(newline).some((c) => c !== NEWLINE && c !== RETURN)
  }

  #field(): void {
    if (this.#chunk[this.#at] !== QUOTE) {
      this.#state = PLAIN
      return
    }
    this.#state = QUOTED
    this.#quoteLine = this.#newlines + 1
    this.#at++
  }

  /** Drops a byte order mark; bytes that only begin like one are text. */
  #mark(): void {
    const c = this.#chunk[this.#at]
    if (c === BYTE_ORDER_MARK[this.text.length]) {
      this.#at++
      this.text.byte(c!)
      if (this.text.length < BYTE_ORDER_MARK.length) return
      this.text.clear()
    } else if (this.text.length > 0) {
      this.#state = PLAIN
      return
    }
    this.#state = RECORD
  }

  /** Skips blank lines, then begins a record. */
  #between(): void {
    const c = this.#chunk[this.#at]!
    if (c === NEWLINE || c === RETURN) {
      this.#at++
      if (c === NEWLINE) this.#newlines++
      return
    }
    this.text.clear()
    this.fieldCount = 0
    this.record = this.#records
    this.line = this.#newlines + 1
    this.byte = this.#base + this.#at
    this.#state = FIELD
  }

  /** Reads an unquoted field. Returns true at the end of the record. */
  #plain(): boolean {
    const chunk = this.#chunk
    const start = this.#at
    let at = start
    while (at < chunk.length && this.#stops[chunk[at]!] === 0) at++
    this.text.append(chunk, start, at)
    this.#at = at
    if (at === chunk.length) return false
    const c = chunk[at]!
    this.#at++
    this.#endField()
    if (c === this.#delimiter) {
      this.#state = FIELD
      return false
    }
    if (c === NEWLINE) this.#newlines++
    this.#state = RECORD
    this.#records++
    return true
  }

  #quoted(): void {
    const chunk = this.#chunk
    const start = this.#at
    let at = start
    for (; at < chunk.length && chunk[at] !== QUOTE; at++) {
      if (chunk[at] === NEWLINE) this.#newlines++
    }
    this.text.append(chunk, start, at)
    this.#at = at + 1
    if (at < chunk.length) this.#state = QUOTE_SEEN
    else this.#at = at
  }

  /** Handles a quote within quotes: the first of two, or the closing one. */
  #afterQuote(): void {
    if (this.#chunk[this.#at] === QUOTE) {
      this.text.byte(QUOTE)
      this.#at++
      this.#state = QUOTED
    } else {
      this.#state = PLAIN
    }
  }

  #endField(): void {
    this.ends = withRoom(this.ends, this.fieldCount + 1)
    this.ends[this.fieldCount++] = this.text.length
  }
}
