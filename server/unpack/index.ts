// Here is a packed body: what is in it, and is it more than it may be?
export { DECODED_CHUNK_BYTES, UNPACK_RATIO_MAX } from './limits.ts'
export { bomb, decodingProblem, jsonTooLarge, unpackedBytesMax } from './problems.ts'
export { type Encoding, fillsNoWindow, isEncoding, type Packing, unpack } from './whole.ts'
