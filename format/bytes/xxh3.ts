// XXH3 with 64 bits and seed 0, optimised for short inputs. The instances of a network use it to
// find the shard of a document, so every instance of every release must compute the same value.
//
// 64-bit integers are pairs of 32-bit ones: each step leaves its result in the registers `high` and
// `low`. BigInt would allocate at each step.
import { assert } from '../errors.ts'

/**
 * The default secret of the algorithm without its byte 76, 0x1b: hashes of more than 64 bytes are not
 * those of other implementations. It stays, because networks have placed documents by these hashes.
 */
const SECRET = Uint8Array.from(
  Buffer.from(
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221' +
      'b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b532ea371644897a20df94e3819ef46a9deacd8a8' +
      'fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb17' +
      '0ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e',
    'hex',
  ),
)
const secret = new DataView(SECRET.buffer)
const STRIPE = 64
const BLOCK = 1024

let high = 0
let low = 0

/** The two halves of a hash. */
export type Hash = { high: number; low: number }

/** Hashes the first `length` bytes; writes both halves into `out`, unsigned. */
export function xxh3(input: DataView, length: number, out: Hash): void {
  assert(length <= input.byteLength, 'only bytes of the input are hashed')
  if (length <= 16) short(input, length)
  else if (length <= 128) middle(input, length)
  else if (length <= 240) larger(input, length)
  else long(input, length)
  out.high = high >>> 0
  out.low = low >>> 0
}

const word = (view: DataView, at: number): number => view.getUint32(at, true)

function short(input: DataView, length: number): void {
  if (length > 8) upTo16(input, length)
  else if (length >= 4) upTo8(input, length)
  else upTo3(input, length)
}

function upTo3(input: DataView, length: number): void {
  if (length > 0) {
    const first = input.getUint8(0)
    const half = input.getUint8(length >> 1)
    const last = input.getUint8(length - 1)
    const combined = ((first << 16) | (half << 24) | last | (length << 8)) >>> 0
    set(0, combined ^ word(secret, 0) ^ word(secret, 4))
  } else set(word(secret, 60) ^ word(secret, 68), word(secret, 56) ^ word(secret, 64))
  xorShift(33)
  multiply(0xc2b2ae3d, 0x27d4eb4f)
  xorShift(29)
  multiply(0x165667b1, 0x9e3779f9)
  xorShift(32)
}

function upTo8(input: DataView, length: number): void {
  const first = word(input, 0)
  const last = word(input, length - 4)
  const h = first ^ word(secret, 12) ^ word(secret, 20)
  const l = last ^ word(secret, 8) ^ word(secret, 16)
  // h ^ rotl(h, 49) ^ rotl(h, 24)
  const h49 = (l << 17) | (h >>> 15)
  const l49 = (h << 17) | (l >>> 15)
  const h24 = (h << 24) | (l >>> 8)
  const l24 = (l << 24) | (h >>> 8)
  set(h ^ h49 ^ h24, l ^ l49 ^ l24)
  multiply(0x9fb21c65, 0x1e98df25)
  // h ^= (h >> 35) + length
  set(high, low ^ ((high >>> 3) + length))
  multiply(0x9fb21c65, 0x1e98df25)
  xorShift(28)
}

function upTo16(input: DataView, length: number): void {
  const lowL = word(input, 0) ^ word(secret, 24) ^ word(secret, 32)
  const lowH = word(input, 4) ^ word(secret, 28) ^ word(secret, 36)
  const highL = word(input, length - 8) ^ word(secret, 40) ^ word(secret, 48)
  const highH = word(input, length - 4) ^ word(secret, 44) ^ word(secret, 52)
  fold(lowH, lowL, highH, highL)
  add(0, length)
  add(swapped(lowL), swapped(lowH))
  add(highH, highL)
  avalanche()
}

function middle(input: DataView, length: number): void {
  let h = 0
  let l = 0
  const mixed = (at: number, key: number): void => {
    mix16(input, at, key)
    add(h, l)
    h = high
    l = low
  }
  set(0, length)
  multiply(0x9e3779b1, 0x85ebca87)
  h = high
  l = low
  for (let i = (length - 1) >> 5; i >= 0; i--) {
    mixed(16 * i, 32 * i)
    mixed(length - 16 * (i + 1), 32 * i + 16)
  }
  avalanche()
}

function larger(input: DataView, length: number): void {
  set(0, length)
  multiply(0x9e3779b1, 0x85ebca87)
  let h = high
  let l = low
  const mixed = (at: number, key: number): void => {
    mix16(input, at, key)
    add(h, l)
    h = high
    l = low
  }
  for (let i = 0; i < 8; i++) mixed(16 * i, 16 * i)
  avalanche()
  h = high
  l = low
  const rounds = length >> 4
  for (let i = 8; i < rounds; i++) mixed(16 * i, 16 * (i - 8) + 3)
  mixed(length - 16, 136 - 17)
  avalanche()
}

/** Initial values of the eight accumulators, high and low half of each. */
const START = [
  0, 0xc2b2ae3d, 0x9e3779b1, 0x85ebca87, 0xc2b2ae3d, 0x27d4eb4f, 0x165667b1, 0x9e3779f9, 0x85ebca77,
  0xc2b2ae63, 0, 0x85ebca77, 0x27d4eb2f, 0x165667c5, 0, 0x9e3779b1,
]

function long(input: DataView, length: number): void {
  const sums = Uint32Array.from(START)
  const blocks = Math.floor((length - 1) / BLOCK)
  for (let block = 0; block < blocks; block++) {
    for (let n = 0; n < BLOCK / STRIPE; n++) {
      accumulate(sums, input, block * BLOCK + n * STRIPE, n * 8)
    }
    scramble(sums)
  }
  const stripes = Math.floor((length - 1 - blocks * BLOCK) / STRIPE)
  for (let n = 0; n < stripes; n++) accumulate(sums, input, blocks * BLOCK + n * STRIPE, n * 8)
  accumulate(sums, input, length - STRIPE, SECRET.length - STRIPE - 7)
  set(0, length)
  multiply(0x9e3779b1, 0x85ebca87)
  for (let i = 0; i < 4; i++) {
    const [h, l] = [high, low]
    const key = 11 + 16 * i
    fold(
      sums[4 * i]! ^ word(secret, key + 4),
      sums[4 * i + 1]! ^ word(secret, key),
      sums[4 * i + 2]! ^ word(secret, key + 12),
      sums[4 * i + 3]! ^ word(secret, key + 8),
    )
    add(h, l)
  }
  avalanche()
}

function accumulate(sums: Uint32Array, input: DataView, at: number, key: number): void {
  for (let i = 0; i < 8; i++) {
    const l = word(input, at + 8 * i)
    const h = word(input, at + 8 * i + 4)
    const other = 2 * (i ^ 1)
    set(sums[other]!, sums[other + 1]!)
    add(h, l)
    sums[other] = high
    sums[other + 1] = low
    multiplyWords(l ^ word(secret, key + 8 * i), h ^ word(secret, key + 8 * i + 4))
    add(sums[2 * i]!, sums[2 * i + 1]!)
    sums[2 * i] = high
    sums[2 * i + 1] = low
  }
}

function scramble(sums: Uint32Array): void {
  const key = SECRET.length - STRIPE
  for (let i = 0; i < 8; i++) {
    set(sums[2 * i]!, sums[2 * i + 1]!)
    xorShift(47)
    set(high ^ word(secret, key + 8 * i + 4), low ^ word(secret, key + 8 * i))
    multiply(0, 0x9e3779b1)
    sums[2 * i] = high
    sums[2 * i + 1] = low
  }
}

/** Mixes two words of the input with a key, multiplies and folds them. */
function mix16(input: DataView, at: number, key: number): void {
  fold(
    word(input, at + 4) ^ word(secret, key + 4),
    word(input, at) ^ word(secret, key),
    word(input, at + 12) ^ word(secret, key + 12),
    word(input, at + 8) ^ word(secret, key + 8),
  )
}

function avalanche(): void {
  xorShift(37)
  multiply(0x16566791, 0x9e3779f9)
  xorShift(32)
}

function set(h: number, l: number): void {
  high = h | 0
  low = l | 0
}

function add(h: number, l: number): void {
  const sum = (low >>> 0) + (l >>> 0)
  low = sum | 0
  high = (high + h + (sum > 0xffffffff ? 1 : 0)) | 0
}

/** Mixes the register with its own upper bits: register ^= register >> bits. */
function xorShift(bits: number): void {
  if (bits >= 32) low ^= bits === 32 ? high : high >>> (bits - 32)
  else {
    low ^= (low >>> bits) | (high << (32 - bits))
    high ^= high >>> bits
  }
}

/** Multiplies the register; keeps the lower 64 bits of the product. */
function multiply(h: number, l: number): void {
  const upper = Math.imul(high, l) + Math.imul(low, h)
  multiplyWords(low, l)
  high = (high + upper) | 0
}

/** Sets the register to the 64-bit product of two 32-bit words. */
function multiplyWords(a: number, b: number): void {
  const aL = a & 0xffff
  const aH = a >>> 16
  const bL = b & 0xffff
  const bH = b >>> 16
  const lows = aL * bL
  const cross = aH * bL + (lows >>> 16)
  const other = aL * bH + (cross & 0xffff)
  high = (aH * bH + Math.floor(cross / 0x10000) + Math.floor(other / 0x10000)) | 0
  low = Math.imul(a, b)
}

/** Sets the register to the upper half of the 128-bit product XOR its lower half. */
function fold(aH: number, aL: number, bH: number, bL: number): void {
  multiplyWords(aL, bL)
  const [h0, l0] = [high, low]
  multiplyWords(aH, bH)
  const [h3, l3] = [high, low]
  multiplyWords(aH, bL)
  const [h1, l1] = [high, low]
  multiplyWords(aL, bH)
  const [h2, l2] = [high, low]
  const second = (h0 >>> 0) + (l1 >>> 0) + (l2 >>> 0)
  const third = (h1 >>> 0) + (h2 >>> 0) + (l3 >>> 0) + Math.floor(second / 0x100000000)
  const fourth = (h3 >>> 0) + Math.floor(third / 0x100000000)
  high = (second ^ fourth) | 0
  low = l0 ^ (third | 0)
}

const swapped = (word: number): number =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
