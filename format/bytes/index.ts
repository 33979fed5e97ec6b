// Bytes: integers, cursors and the order of keys. Only codecs do other arithmetic on raw bits.
export { u16At, u32At } from './integers.ts'
export { lengthened, withRoom } from './lengthened.ts'
export { compareBytes, compareText, equalBytes, startsWithBytes } from './order.ts'
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
export { type Hash, xxh3 } from './xxh3.ts'
