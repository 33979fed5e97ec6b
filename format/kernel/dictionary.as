// Walks over a dictionary, in AssemblyScript. Layout of the bytes: `format/fst/FST.md`; automaton:
// `format/fst/LEVENSHTEIN.md`; memory: `KERNEL.md`. The twin in TypeScript is `format/fst/fuzzy.ts`
// with `pattern.ts`; names are the same where the code is.
//
// Every address is checked before it is read. Damage ends a call with `REFUSED`; the caller then
// uses the twin, which throws the error.

/** A call has found something that the twin must deal with. */
const REFUSED: i32 = -1

const LEAF: i32 = 0
const FULL_NODE: i32 = 0x80
const FINAL_BIT: i32 = 0x40
const COUNTED_SHAPE: i32 = 4

const DEAD: i32 = 0
const START: i32 = 32
const SETTLED: i32 = 64
const FAR: i32 = 255
const BASE_SHIFT: i32 = 12
const ID_MASK: i32 = 4095
const ID_BITS: i32 = 4064
const PATTERN_SHIFT: i32 = 5
const BEST_SHIFT: i32 = 2
const MISSING_MASK: i32 = 3
const REST_MIN: i32 = -2
const ACCEPT_SLOTS: i32 = 8

// Tables: shared by all threads, written by `format/fst/kernel-fst.ts`.
const STEPS: usize = 0
const ACCEPTS: usize = 8192
const EDITS: usize = 9216
const INITIAL: usize = 9344
const LABELS: usize = 9360

// Room of a thread. The sizes are those of `kernel-fst.ts`.
const QUERY: usize = 0
const ROWS: usize = 1024
const LEADS: usize = 1536
const WIDE: usize = 1792
const WIDE_ROWS: usize = 2816
const PATTERNS: usize = 3840
const WALK: usize = 69376
const FOUND: usize = 134912
const KEYS: usize = 137984
const ROOM_END: usize = 203520

const PATTERN_BYTES: i32 = 65536
const WIDE_MAX: i32 = 256

// State of a walk, from `WALK` on; a caller may copy it away and back.
const NODE: usize = WALK
const STATE: usize = WALK + 4
const BASE: usize = WALK + 8
const LENGTH: usize = WALK + 12
const TOP: usize = WALK + 16
const STATUS: usize = WALK + 20
const KEY: usize = WALK + 24
const KEY_BYTES_MAX: i32 = 1000
const STACK: usize = WALK + 1024
const STACK_END: usize = FOUND
const ENTRY: i32 = 16

const NEW: i32 = 0
const WALKING: i32 = 1
const ENDED: i32 = 2

/** Bytes of a found key: ordinal, its distance and flags, hash, end of its bytes behind `KEYS`. */
const FOUND_BYTES: usize = 16
const SAME_FIRST: i32 = 256
const ASCII: i32 = 512

// The dictionary and the query of the running call.
let nodes: usize = 0
let keyCount: i32 = 0
let keyBytesMax: i32 = 0
let tables: usize = 0
let room: usize = 0
let points: i32 = 0
let firstRow: i32 = 0
/** Bytes of the query's first code point, or `ANY_FIRST`. */
let firstBytes: i32 = 0
const ANY_FIRST: i32 = -1
let wideCount: i32 = 0
let isPrefix: bool = false
let maxDistance: i32 = 0
let otherFirst: i32 = 0

@inline
function byteAt(at: i32): i32 {
  return i32(load<u8>(nodes + usize(at)))
}

function missingAfter(label: i32): i32 {
  if (label < 0xc0 || label >= 0xf8) return 0
  return label < 0xe0 ? 1 : label < 0xf0 ? 2 : 3
}

/** The code point at `at`; of `length` bytes. */
function codePoint(at: usize, length: i32): i32 {
  const lead = i32(load<u8>(at))
  let point = lead < 0x80 ? lead : lead & (0x3f >>> missingAfter(lead))
  for (let i = 1; i < length; i++) point = (point << 6) | (i32(load<u8>(at + usize(i))) & 0x3f)
  return point
}

/** Builds the tables of the query, `bytes` bytes at `QUERY`; returns false if it is too long. */
function buildPattern(bytes: i32): bool {
  const query = room + QUERY
  points = 0
  for (let at = 0; at < bytes; at += missingAfter(i32(load<u8>(query + usize(at)))) + 1) points++
  const stride = points + 3
  if ((points + 1) * stride > PATTERN_BYTES || points > WIDE_MAX) return false
  memory.fill(room + ROWS, 0, 768)
  memory.fill(room + PATTERNS, 0, usize((points + 1) * stride))
  wideCount = 0
  firstRow = stride
  firstBytes = bytes === 0 ? 0 : missingAfter(i32(load<u8>(query))) + 1
  let rows = 1
  let at = query
  for (let i = 0; i < points; i++) {
    const lead = i32(load<u8>(at))
    const length = missingAfter(lead) + 1
    const point = codePoint(at, length)
    let row = point < 0x80 ? load<i32>(room + ROWS + (usize(point) << 2)) : wideRow(point)
    if (row === 0) {
      row = stride * rows++
      if (point < 0x80) store<i32>(room + ROWS + (usize(point) << 2), row)
      else {
        store<i32>(room + WIDE + (usize(wideCount) << 2), point)
        store<i32>(room + WIDE_ROWS + (usize(wideCount) << 2), row)
        wideCount++
        store<u8>(room + LEADS + usize(lead), 1)
      }
    }
    for (let bit = 0; bit < 5 && bit <= i; bit++) {
      const slot = room + PATTERNS + usize(row + i - bit)
      store<u8>(slot, u8(i32(load<u8>(slot)) | (1 << bit)))
    }
    at += usize(length)
  }
  return true
}

function wideRow(point: i32): i32 {
  for (let i = 0; i < wideCount; i++) {
    if (load<i32>(room + WIDE + (usize(i) << 2)) === point) {
      return load<i32>(room + WIDE_ROWS + (usize(i) << 2))
    }
  }
  return 0
}

@inline
function accepted(state: i32): i32 {
  const rest = points - (state >>> BASE_SHIFT) - REST_MIN
  const slot = ((state & ID_MASK) >>> 2) + (rest < ACCEPT_SLOTS ? rest : ACCEPT_SLOTS - 1)
  return i32(load<u8>(tables + ACCEPTS + usize(slot)))
}

/** The state after `label`, which follows the first `length` bytes of the key. */
function step(state: i32, label: i32, length: i32): i32 {
  if ((state & ID_BITS) === SETTLED) return state
  const missing = state & MISSING_MASK
  if (missing === 0) {
    if (label < 0x80) return stepRow(state, load<i32>(room + ROWS + (usize(label) << 2)))
    const more = missingAfter(label)
    if (more === 0) return stepRow(state, 0)
    if (load<u8>(room + LEADS + usize(label)) === 0 && stepRow(state, 0) === DEAD) return DEAD
    return state + more
  }
  // The twin reads ASCII from its tables, also inside a code point that is not UTF-8.
  if (label < 0x80 && !isPrefix && state >= SETTLED) {
    return stepRow(state, load<i32>(room + ROWS + (usize(label) << 2)))
  }
  if (missing > 1) return state - 1
  const key = room + KEY
  let lead = length - 1
  while (lead > 0 && length - lead < 3 && (load<u8>(key + usize(lead)) & 0xc0) === 0x80) lead--
  const point = (codePoint(key + usize(lead), length - lead) << 6) | (label & 0x3f)
  return stepRow(state - 1, wideRow(point))
}

function stepRow(from: i32, row: i32): i32 {
  let state = from
  if ((state & ID_BITS) === START) {
    const limit = row === firstRow && points > 0 ? maxDistance : otherFirst
    if (limit < 0) return DEAD
    state = load<i32>(tables + INITIAL + (usize(limit) << 2))
    if (isPrefix && points <= limit) state += (points + 1) << BEST_SHIFT
  }
  const pattern = i32(load<u8>(room + PATTERNS + usize(row + (state >>> BASE_SHIFT))))
  const to = i32(load<u16>(tables + STEPS + (usize((state & ID_BITS) | pattern) << 1)))
  const next = to === DEAD ? DEAD : (state & ~ID_MASK) + to
  return isPrefix ? keepBest(state, next) : next
}

function keepBest(state: i32, next: i32): i32 {
  let best = (state >>> BEST_SHIFT) & 3
  if (next !== DEAD) {
    const distance = accepted(next)
    if (distance !== FAR && (best === 0 || distance < best - 1)) best = distance + 1
    const least = i32(load<u8>(tables + EDITS + usize((next & ID_MASK) >>> PATTERN_SHIFT)))
    if (best === 0 || least < best - 1) return next + (best << BEST_SHIFT)
  }
  return best === 0 ? DEAD : SETTLED + (best << BEST_SHIFT)
}

@inline
function distanceOf(state: i32): i32 {
  if (isPrefix) {
    const best = (state >>> BEST_SHIFT) & 3
    return best === 0 ? FAR : best - 1
  }
  if ((state & MISSING_MASK) !== 0) return FAR
  return accepted(state)
}

@inline
function isFinal(at: i32): bool {
  return at === LEAF || byteAt(at) >= (FULL_NODE | FINAL_BIT)
}

// The full node that `openNode` has checked.
let count: i32 = 0
let labels: i32 = 0
let targets: i32 = 0
let targetWidth: i32 = 0
let outputs: i32 = 0
let outputWidth: i32 = 0
let isFinalNode: i32 = 0

/** Reads the shape of the full node at `at`; returns false if it begins before the first byte. */
function openNode(at: i32, header: i32): bool {
  const shape = header & 7
  const counted = shape < COUNTED_SHAPE ? 0 : 1
  if (at < counted) return false
  count = counted === 0 ? shape + 1 : byteAt(at - 1) + 1
  labels = at - count - counted
  targetWidth = (header >>> 3) & 7
  outputWidth = counted === 0 ? 1 : shape - COUNTED_SHAPE + 1
  targets = labels - count * targetWidth
  outputs = targets - (count - 1) * outputWidth
  isFinalNode = (header & FINAL_BIT) === 0 ? 0 : 1
  return outputs >= 0 && targetWidth <= 4
}

function numberAt(from: i32, width: i32): i32 {
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = (value << 8) | byteAt(from + i)
  return value
}

/** The target of an arc of the open node at `at`, or `REFUSED`. */
@inline
function targetOf(at: i32, arc: i32): i32 {
  const delta = numberAt(targets + arc * targetWidth, targetWidth)
  if (delta === 0) return LEAF
  return u32(delta) >= u32(at) ? REFUSED : at - delta
}

@inline
function outputOf(arc: i32): i32 {
  return arc === 0 ? isFinalNode : numberAt(outputs + (arc - 1) * outputWidth, outputWidth)
}

/** Index of the arc of the open node with a label, or -1. */
function findLabel(label: i32): i32 {
  let low = 0
  let high = count
  while (high - low > 8) {
    const middle = (low + high) >>> 1
    if (byteAt(labels + middle) <= label) low = middle
    else high = middle
  }
  for (; low < high; low++) if (byteAt(labels + low) === label) return low
  return -1
}

@inline
function labelOfChain(header: i32): i32 {
  return i32(load<u8>(tables + LABELS + usize(header)))
}

let found: i32 = 0
let keyBytes: i32 = 0

/** Adds the key of the walk to the found ones. */
function emit(base: i32, length: i32, distance: i32): void {
  const key = room + KEY
  const to = room + KEYS + usize(keyBytes)
  let hash: u32 = 0x811c9dc5
  let bits: u32 = 0
  for (let i: usize = 0; i < usize(length); i++) {
    const byte = u32(load<u8>(key + i))
    store<u8>(to + i, u8(byte))
    bits |= byte
    hash = (hash ^ byte) * 0x01000193
  }
  let flags = distance
  if (bits < 0x80) flags |= ASCII
  if (beginsSame(length)) flags |= SAME_FIRST
  keyBytes += length
  const at = room + FOUND + usize(found++) * FOUND_BYTES
  store<i32>(at, base)
  store<i32>(at, flags, 4)
  store<u32>(at, hash, 8)
  store<i32>(at, keyBytes, 12)
}

function beginsSame(length: i32): bool {
  if (firstBytes === ANY_FIRST) return true
  if (firstBytes === 0 || length < firstBytes) return firstBytes === length
  for (let i: usize = 0; i < usize(firstBytes); i++) {
    if (load<u8>(room + KEY + i) !== load<u8>(room + QUERY + i)) return false
  }
  return true
}

/**
 * Finds the next keys near the query, at most `most`, and writes them to `FOUND` and `KEYS`. A walk
 * that is not `NEW` continues where the state in the room is. Returns the number of keys; 0 is the
 * end of the walk, `REFUSED` what the twin must deal with.
 * `options`: greatest distance · 4 × (1 + greatest distance of other first letters) · 16 × prefix.
 */
export function near(
  dictionary: usize,
  end: i32,
  keys: i32,
  longest: i32,
  shared: usize,
  own: usize,
  queryBytes: i32,
  options: i32,
  most: i32,
): i32 {
  if (!open(dictionary, keys, longest, shared, own)) return REFUSED
  isPrefix = (options & 16) !== 0
  maxDistance = options & 3
  otherFirst = ((options >>> 2) & 3) - 1
  if (!buildPattern(queryBytes)) return REFUSED
  const status = load<i32>(room + STATUS)
  if (status === ENDED || keys === 0) return 0
  if (status === NEW) {
    store<i32>(room + NODE, end === 0 ? LEAF : end - 1)
    store<i32>(room + STATE, START)
    store<i32>(room + BASE, 0)
    store<i32>(room + LENGTH, 0)
    store<i32>(room + TOP, 0)
    store<i32>(room + STATUS, WALKING)
    const limit = points === 0 ? maxDistance : otherFirst
    if (points <= limit && isFinal(end === 0 ? LEAF : end - 1)) emit(0, 0, points)
  }
  return walk(most)
}

/**
 * Like `near`, for the keys that begin with the query; the query itself is one of them. All have
 * the distance 0.
 */
export function prefixed(
  dictionary: usize,
  end: i32,
  keys: i32,
  longest: i32,
  shared: usize,
  own: usize,
  queryBytes: i32,
  most: i32,
): i32 {
  if (!open(dictionary, keys, longest, shared, own)) return REFUSED
  isPrefix = true
  firstBytes = ANY_FIRST
  const status = load<i32>(room + STATUS)
  if (status === ENDED || keys === 0) return 0
  if (status === NEW) {
    if (queryBytes > longest) return 0
    const node = descend(end, queryBytes)
    if (node < 0) return node === NOT_THERE ? 0 : REFUSED
    memory.copy(room + KEY, room + QUERY, usize(queryBytes))
    const state = SETTLED + (1 << BEST_SHIFT)
    store<i32>(room + NODE, node)
    store<i32>(room + STATE, state)
    store<i32>(room + BASE, descended)
    store<i32>(room + LENGTH, queryBytes)
    store<i32>(room + TOP, 0)
    store<i32>(room + STATUS, WALKING)
    if (isFinal(node)) emit(descended, queryBytes, 0)
  }
  return walk(most)
}

/** The ordinal of the query, `NOT_THERE`, or `REFUSED`. */
export function ordinalOf(
  dictionary: usize,
  end: i32,
  keys: i32,
  longest: i32,
  shared: usize,
  own: usize,
  queryBytes: i32,
): i32 {
  if (!open(dictionary, keys, longest, shared, own)) return REFUSED
  if (keys === 0 || queryBytes > longest) return NOT_THERE
  const node = descend(end, queryBytes)
  if (node < 0) return node
  return isFinal(node) ? descended : NOT_THERE
}

const NOT_THERE: i32 = -2
/** The first ordinal behind the node that `descend` returned. */
let descended: i32 = 0

/** The node that the query leads to, `NOT_THERE` or `REFUSED`. */
function descend(end: i32, queryBytes: i32): i32 {
  let at = end === 0 ? LEAF : end - 1
  let ordinal = 0
  for (let i = 0; i < queryBytes; i++) {
    if (at === LEAF) return NOT_THERE
    const label = i32(load<u8>(room + QUERY + usize(i)))
    const header = byteAt(at)
    if (header < FULL_NODE) {
      if (labelOfChain(header) !== label) return NOT_THERE
      at--
      continue
    }
    if (!openNode(at, header)) return REFUSED
    const arc = findLabel(label)
    if (arc < 0) return NOT_THERE
    ordinal += outputOf(arc)
    if (u32(ordinal) >= u32(keyCount)) return REFUSED
    at = targetOf(at, arc)
    if (at < 0) return REFUSED
  }
  descended = ordinal
  return at
}

function open(dictionary: usize, keys: i32, longest: i32, shared: usize, own: usize): bool {
  nodes = dictionary
  keyCount = keys
  keyBytesMax = longest
  tables = shared
  room = own
  found = 0
  keyBytes = 0
  return longest <= KEY_BYTES_MAX
}

function walk(limit: i32): i32 {
  let most = min(limit, i32((KEYS - FOUND) / FOUND_BYTES))
  if (keyBytesMax > 0) most = min(most, i32(ROOM_END - KEYS) / keyBytesMax)
  const key = room + KEY
  const stack = room + STACK
  const entriesMax = i32(STACK_END - STACK)
  let node = load<i32>(room + NODE)
  let state = load<i32>(room + STATE)
  let base = load<i32>(room + BASE)
  let length = load<i32>(room + LENGTH)
  let top = load<i32>(room + TOP)
  let status = ENDED
  for (;;) {
    if (found >= most) {
      status = WALKING
      break
    }
    const header = node === LEAF ? 0 : byteAt(node)
    if (node !== LEAF && header < FULL_NODE) {
      const label = labelOfChain(header)
      state = step(state, label, length)
      if (state === DEAD) node = LEAF
      else {
        if (length === keyBytesMax) return REFUSED
        store<u8>(key + usize(length++), u8(label))
        node--
      }
    } else {
      const before = top
      if (node !== LEAF) {
        if (length === keyBytesMax || !openNode(node, header)) return REFUSED
        if (top + count * ENTRY > entriesMax) return REFUSED
        for (let arc = count - 1; arc >= 0; arc--) {
          const label = byteAt(labels + arc)
          const next = step(state, label, length)
          if (next === DEAD) continue
          const target = targetOf(node, arc)
          if (target < 0) return REFUSED
          if (target === LEAF && distanceOf(next) === FAR) continue
          const entry = stack + usize(top)
          store<i32>(entry, target)
          store<i32>(entry, next, 4)
          store<i32>(entry, base + outputOf(arc), 8)
          store<i32>(entry, ((length + 1) << 8) | label, 12)
          top += ENTRY
        }
      }
      if (top === 0) break
      // After a dead end the next ordinal must be greater; otherwise damaged bytes could make the
      // walk endless.
      const least = top > before ? base : base + 1
      top -= ENTRY
      const entry = stack + usize(top)
      node = load<i32>(entry)
      state = load<i32>(entry, 4)
      base = load<i32>(entry, 8)
      const packed = load<i32>(entry, 12)
      length = packed >>> 8
      if (base < least || base >= keyCount) return REFUSED
      store<u8>(key + usize(length - 1), u8(packed))
    }
    if (state !== DEAD && isFinal(node)) {
      const distance = distanceOf(state)
      if (distance !== FAR) emit(base, length, distance)
    }
  }
  store<i32>(room + NODE, node)
  store<i32>(room + STATE, state)
  store<i32>(room + BASE, base)
  store<i32>(room + LENGTH, length)
  store<i32>(room + TOP, top)
  store<i32>(room + STATUS, status)
  return found
}
