// Replaces secrets in what another server sent: as they are, in any mixture of the escapes of JSON,
// URLs and HTML, and inside Base64 or hexadecimal texts.
import { SECRET_LENGTH_MIN } from './limits.ts'
import { type Decoded, unescaped } from './unescape.ts'

const MASK = 'XXX...'
/** Escapes inside escapes: JSON or HTML that quotes JSON, URLs in URLs. */
const ESCAPE_LEVELS = 3
/** Secrets of fewer bytes have encodings that occur by chance. */
const ENCODED_BYTES_MIN = 8
const ESCAPE_BEGINS = ['\\', '%', '&']
const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/gs

export class Mask {
  /** In lower case, without escapes. */
  readonly #spellings: readonly string[]
  /** The same as UTF-8, one character for each byte. */
  readonly #bytes: readonly string[]

  /** Secrets shorter than `lengthMin` are ignored. */
  constructor(secrets: readonly string[], lengthMin: number = SECRET_LENGTH_MIN) {
    const long = secrets.filter(({ length }) => length >= lengthMin)
    this.#spellings = [...new Set(long.flatMap(spellingsOf).map(lower))]
    this.#bytes = this.#spellings.map((text) => lower(latin1Of(text)))
  }

  /**
   * Returns false for a text without secrets, and without escapes that may hide one. Quicker than
   * parsing the text as JSON.
   */
  mayChange(utf8: Uint8Array): boolean {
    if (this.#bytes.length === 0) return false
    const bytes = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length)
    if (ESCAPE_BEGINS.some((begin) => bytes.includes(begin))) return true
    const text = lower(bytes.toString('latin1'))
    return this.#bytes.some((secret) => text.includes(secret))
  }

  /** Returns the text with all secrets replaced. */
  text(text: string): string {
    let shown = ''
    let end = 0
    for (const { from, to } of this.#find(text)) {
      if (from >= end) shown += text.slice(end, withEscape(text, from, end)) + MASK
      end = Math.max(end, to)
    }
    return end === 0 ? text : shown + text.slice(end)
  }

  /** Replaces only in the texts of a JSON value: neither in numbers nor in names of members. */
  json(text: string): string {
    return text.replace(STRING, (whole, inner: string, colon: string | undefined) =>
      colon === undefined ? `"${this.text(inner)}"` : whole,
    )
  }

  /** Returns the places of secrets, in order. */
  #find(text: string): readonly { readonly from: number; readonly to: number }[] {
    const found: { from: number; to: number }[] = []
    let decoded: Decoded | null = { text: lower(text), at: null }
    for (let level = 0; decoded !== null && level <= ESCAPE_LEVELS; level++) {
      const { text: searched, at } = decoded
      for (const secret of this.#spellings) {
        for (let i = searched.indexOf(secret); i >= 0; ) {
          const j = i + secret.length
          found.push(at === null ? { from: i, to: j } : { from: at[i]!, to: at[j]! })
          i = searched.indexOf(secret, j)
        }
      }
      decoded = unescaped(decoded)
    }
    return found.sort((a, b) => a.from - b.from)
  }
}

/** Moves the beginning of a place back over backslashes: a mask must not become an escape. */
function withEscape(text: string, from: number, end: number): number {
  let begin = from
  while (begin > end && text[begin - 1] === '\\') begin--
  return begin
}

/** ASCII alone, because other letters may change their length. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

const latin1Of = (text: string): string => Buffer.from(text).toString('latin1')

/** Returns the spellings of a secret that differ by more than escapes of characters. */
function spellingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  // UTF-8 read as Latin-1 is also the form in which `%` escapes are decoded.
  const found = [secret, latin1Of(secret)]
  if (secret.includes(' ')) found.push(secret.replaceAll(' ', '+'))
  if (bytes.length < ENCODED_BYTES_MIN) return found
  found.push(bytes.toString('hex'))
  // Base64 of a text that contains the secret: three ways, by its place in the text.
  for (const before of [0, 1, 2]) {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const [from, to] = [Math.ceil((before * 4) / 3), ((before + bytes.length) * 4) / 3]
    const own = base64.slice(from, Math.floor(to))
    found.push(own, own.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return found
}
