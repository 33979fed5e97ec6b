// Decompresses bodies within their limits.
export { DECODED_CHUNK_BYTES } from './limits.ts'
export { bomb, isDecodingError, jsonTooLarge, unpackedBytesMax } from './problems.ts'
export { type Encoding, fillsNoWindow, isEncoding, type Packing, unpack } from './whole.ts'
