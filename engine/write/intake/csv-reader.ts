// CSV as clients send it: RFC 4180 read generously. Records end with CR, LF or both; blank lines
// are no records; a quote opens only at the beginning of a field; after a closing quote the field
// goes on unquoted; a quote that is never closed runs to the end of the body. The reader reports
// where that quote is and decides nothing: what a record must look like is for the caller.
import { withRoom } from '../../../format/bytes/index.ts'
import { JsonBuffer, Utf8Check } from '../../../format/json/index.ts'

const QUOTE = 0x22
const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

const MARK = 0
const RECORD = 1
const FIELD = 2
const PLAIN = 3
const QUOTED = 4
const QUOTE_SEEN = 5

/** A push reader: `feed`, `next` until it says false, at last `finish`. */
export class CsvReader {
  readonly #delimiter: number
  /** 1 for the bytes that end a plain field. */
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
  /** Where each field ends in `text`. */
  ends: Uint32Array = new Uint32Array(64)
  fieldCount = 0
  /**
   * The record's number, the header being 0, and where its first byte stands: line from 1, byte
   * from 0.
   */
  record = 0
  line = 1
  byte = 0
  /** After `finish`: the line of a quote that was never closed and took further rows into its
   * field; 0 where there is no such quote. */
  swallowingQuoteLine = 0

  constructor(delimiter: number) {
    this.#delimiter = delimiter
    for (const stop of [delimiter, NEWLINE, RETURN]) this.#stops[stop] = 1
  }

  /** Whether bytes up to the end of the present record were no UTF-8. */
  get isSuspect(): boolean {
    return this.#utf8.firstBad < this.#base + this.#at
  }

  feed(chunk: Uint8Array): void {
    this.#base += this.#chunk.length
    this.#chunk = chunk
    this.#at = 0
    this.#utf8.add(chunk)
  }

  /** Reads on. True at the end of a record, whose fields stay until the next call. */
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

  /** The body is over. True when that ended a record. */
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

  /** Whether text follows a line break within the present field. */
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

  /** A byte order mark is dropped; what only begins like one is text. */
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

  /** True when the record ends here. */
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

  /** A quote within quotes: one of two, or the closing one. */
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
