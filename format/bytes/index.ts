// Bytes: characters, text, integers, cursors and the order of keys. Only codecs do other arithmetic
// on raw bits.
export {
  AMPERSAND,
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  HASH,
  LETTER_A,
  LETTER_E,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  LETTER_U,
  LETTER_X,
  MINUS,
  NEWLINE,
  NINE,
  PERCENT,
  PLUS,
  POINT,
  QUOTE,
  RETURN,
  SEMICOLON,
  SLASH,
  SPACE,
  TAB,
  UPPER_E,
  ZERO,
} from './ascii.ts'
export {
  type ExactNumber,
  exactText,
  hasLarge,
  isBelow,
  isExactNumber,
  isLarge,
  LARGE_MAX,
  LARGE_MIN,
  wholeNumber,
} from './exact-number.ts'
export { u16At, u32At } from './integers.ts'
export { lengthened, withRoom } from './lengthened.ts'
export { compareBytes, compareText, equalBytes, startsWithBytes } from './order.ts'
export { decoder, encoder, exactDecoder, strictDecoder } from './text.ts'
export { GiB, KiB, MiB } from './units.ts'
export {
  ByteReader,
  ByteWriter,
  unzigzag,
  VARINT_BYTES_MAX,
  varintBytes,
  writeVarint,
  zigzag,
} from './varint.ts'
export { bytesOf, dataView } from './views.ts'
export { type Hash, xxh3 } from './xxh3.ts'
