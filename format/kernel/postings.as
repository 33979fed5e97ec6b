// Reads postings, in AssemblyScript. Layout of the bytes: `format/postings/POSTINGS.md` and
// `format/idset/IDSET.md`; memory: `KERNEL.md`. The twins in TypeScript are `TextReader` with the
// functions of `engine/read/segments` that call it.
//
// Each read is within the posting or the set that it belongs to; anything else sets `isDamaged`, and
// the call returns `REFUSED`: the caller then uses the twins, which throw the error.

const REFUSED: i32 = -1

// Header of a segment in the shared memory, written by `format/postings/kernel-postings.ts`.
const ID_MIN: usize = 0
const ID_MAX: usize = 4
const DOCUMENTS: usize = 8
const TERMS: usize = 12
const POST_BYTES: usize = 16
const OFFSETS: usize = 20
const POST: usize = 32

// Room of a thread. The sizes are those of `kernel-postings.ts`.
const ORDINALS: usize = 0
const ORDINALS_MAX: i32 = 4096
const NAMES: usize = 16384
const NAMES_MAX: i32 = 1024
const SMALL_IDS: usize = 20480
const SINGLES: usize = 20992
const SMALL_MAX: i32 = 128
const DOCS: usize = 21120
const DOCS_MAX: i32 = 65536
const CANDIDATES: usize = 283264
const CANDIDATES_MAX: i32 = 32768
const STARTS: usize = 414336
const RANKS: usize = 545416
const ENTRIES: usize = 676488
const DECODED: usize = 1725064
const PACKED: usize = 2249352
const OCCURRENCES_MAX: i32 = 131072
/** Bits of the segment's documents, then results of `unite`. */
const BITS: usize = 2773640

const FORM_1: u32 = 1
const POSITION_SETS: u32 = 2
const HEADER_WORDS: i32 = 8
const BLOCK_DOCUMENTS: i32 = 128
const ARRAY_IDS_MAX: i32 = 4096
const BITMAP_BYTES: i32 = 8192
const POSITION_SETS_MIN: i32 = 1024
const LATE_SETS_MIN: i32 = 4096
const EARLY_BUCKETS: i32 = 16

const IN_FIELDS: i32 = 1
const IN_BUCKETS: i32 = 2

// The segment and the room of the running call.
let segment: usize = 0
let post: usize = 0
let room: usize = 0
let idMin: u32 = 0
let idMax: u32 = 0
let bits: usize = 0
/** Number of the first word of `bits`, and how many there are. */
let firstWord: u32 = 0
let wordCount: u32 = 0
let isDamaged: bool = false

// The open posting: `end` is the offset after its last byte.
let end: i32 = 0
let df: i32 = 0
let isLarge: bool = false
/** Offset after the leading number, or of word 0 of form 1. */
let begin: i32 = 0
/** Offset after what was read last. */
let cursor: i32 = 0

function byteAt(at: i32): u32 {
  if (u32(at) >= u32(end)) {
    isDamaged = true
    return 0
  }
  return u32(load<u8>(post + usize(at)))
}

function wordAt(at: i32): u32 {
  if (at < 0 || at > end - 4) {
    isDamaged = true
    return 0
  }
  return load<u32>(post + usize(at))
}

/** Reads the number at `cursor`. */
@inline
function number(): u32 {
  const first = byteAt(cursor++)
  return first < 128 ? first : longNumber(first)
}

function longNumber(first: u32): u32 {
  let value = first & 127
  for (let shift = 7; shift <= 28; shift += 7) {
    const byte = byteAt(cursor++)
    value |= (byte & 127) << shift
    if (byte < 128) return value
  }
  isDamaged = true
  return value
}

function open(shared: usize, own: usize): void {
  segment = shared
  room = own
  post = segment + POST
  idMin = load<u32>(segment + ID_MIN)
  idMax = load<u32>(segment + ID_MAX)
  firstWord = idMin >>> 5
  wordCount = (idMax >>> 5) - firstWord + 1
  bits = room + BITS
  isDamaged = false
}

/** Opens a posting; returns false if it cannot be one. */
function openPosting(ordinal: u32): bool {
  if (ordinal >= load<u32>(segment + TERMS)) return false
  const offsets = segment + load<u32>(segment + OFFSETS) + (usize(ordinal) << 2)
  const from = load<u32>(offsets)
  const to = load<u32>(offsets, 4)
  if (from >= to || to > load<u32>(segment + POST_BYTES)) return false
  end = i32(to)
  cursor = i32(from)
  const head = number()
  df = i32(head >>> 1)
  isLarge = (head & FORM_1) !== 0
  if (df === 0 || df > load<i32>(segment + DOCUMENTS) || isDamaged) return false
  begin = isLarge ? (cursor + 3) & ~3 : cursor
  return isLarge ? begin + HEADER_WORDS * 4 <= end && wordAt(begin) === u32(df) : df <= SMALL_MAX
}

/** Decodes the ids of a small posting; `cursor` is then at its occurrences. */
function readSmallIds(): void {
  let next = idMin
  cursor = begin
  for (let d = 0; d < df; d++) {
    const value = number()
    next += value >>> 1
    if (next > idMax) {
      isDamaged = true
      return
    }
    store<u32>(room + SMALL_IDS + (usize(d) << 2), next++)
    store<u8>(room + SINGLES + usize(d), value & 1)
  }
}

@inline
function smallId(d: i32): u32 {
  return load<u32>(room + SMALL_IDS + (usize(d) << 2))
}

@inline
function isSingle(d: i32): bool {
  return load<u8>(room + SINGLES + usize(d)) !== 0
}

@inline
function setBit(id: u32): void {
  const at = bits + (usize((id >>> 5) - firstWord) << 2)
  store<u32>(at, load<u32>(at) | (1 << (id & 31)))
}

@inline
function hasBit(id: u32): bool {
  return (load<u32>(bits + (usize((id >>> 5) - firstWord) << 2)) & (1 << (id & 31))) !== 0
}

// The open container of a set.
let setAt: i32 = 0
let containers: i32 = 0
let key: u32 = 0
let members: i32 = 0
let container: i32 = 0

/** Opens the set at an offset from `begin`; returns false if its header is not in the posting. */
function openSet(offset: u32): bool {
  if (offset > u32(end - begin)) return false
  setAt = begin + i32(offset)
  containers = i32(wordAt(setAt + 4))
  return !isDamaged && u32(containers) <= 65536 && setAt + 8 + containers * 8 <= end
}

/** Opens a container; returns false if its bytes are not in the posting. */
function openContainer(i: i32): bool {
  const head = wordAt(setAt + 8 + i * 4)
  key = head & 0xffff
  members = i32(head >>> 16) + 1
  const offset = wordAt(setAt + 8 + containers * 4 + i * 4)
  if (isDamaged || offset > u32(end - setAt)) return false
  container = setAt + i32(offset)
  return container + (members <= ARRAY_IDS_MAX ? members * 2 : BITMAP_BYTES) <= end
}

@inline
function member(i: i32): u32 {
  return u32(load<u16>(post + usize(container) + (usize(i) << 1)))
}

/** Sets the bits of the set at an offset from `begin`. */
function orSet(offset: u32): bool {
  if (!openSet(offset)) return false
  for (let i = 0; i < containers; i++) {
    if (!openContainer(i)) return false
    const base = key << 16
    if (members <= ARRAY_IDS_MAX) {
      for (let j = 0; j < members; j++) {
        const id = base | member(j)
        if (id < idMin || id > idMax) return false
        setBit(id)
      }
      continue
    }
    const from = post + usize(container)
    const first = i32(key << 11) - i32(firstWord)
    for (let w = 0; w < 2048; w += 4) {
      const at = first + w
      if (at >= 0 && at + 4 <= i32(wordCount)) {
        const to = bits + (usize(at) << 2)
        v128.store(to, v128.or(v128.load(to), v128.load(from + (usize(w) << 2))))
        continue
      }
      for (let v = 0; v < 4; v++) {
        const word = load<u32>(from + (usize(w + v) << 2))
        if (word === 0) continue
        if (at + v < 0 || at + v >= i32(wordCount)) return false
        const to = bits + (usize(at + v) << 2)
        store<u32>(to, load<u32>(to) | word)
      }
    }
  }
  return true
}

/** Writes the ids of the set of all documents to `DOCS`; returns false unless there are `df`. */
function readAllIds(): bool {
  if (df > DOCS_MAX || !openSet(wordAt(begin + 16))) return false
  let n = 0
  for (let i = 0; i < containers; i++) {
    if (!openContainer(i) || n + members > df) return false
    const base = key << 16
    if (members <= ARRAY_IDS_MAX) {
      for (let j = 0; j < members; j++) {
        store<u32>(room + DOCS + (usize(n++) << 2), base | member(j))
      }
      continue
    }
    const from = post + usize(container)
    for (let w = 0; w < 2048; w++) {
      for (let left = load<u32>(from + (usize(w) << 2)); left !== 0; left &= left - 1) {
        if (n === df) return false
        store<u32>(room + DOCS + (usize(n++) << 2), base | u32(w * 32 + i32(ctz(left))))
      }
    }
  }
  return n === df
}

@inline
function docAt(d: i32): u32 {
  return load<u32>(room + DOCS + (usize(d) << 2))
}

function bucketOf(position: u32): u32 {
  if (position < 16) return position
  if (position < 24) return 24
  if (position > 32768) return 65535
  return 1 << (32 - clz(position - 1))
}

function isNamed(name: u32, names: i32): bool {
  for (let i = 0; i < names; i++) {
    if (load<u32>(room + NAMES + (usize(i) << 2)) === name) return true
  }
  return false
}

/** Number of occurrences of the document in `DECODED` from `decoded` on. */
let decoded: i32 = 0

/** Appends the occurrences of the document at `cursor` to `DECODED`; returns false without room. */
function decode(single: bool): bool {
  const count = single ? 1 : i32(number())
  if (count < 1 || count > OCCURRENCES_MAX - decoded) return false
  let field = number()
  let position = number()
  let to = room + DECODED + (usize(decoded) << 2)
  store<u32>(to, (field << 16) | position)
  for (let i = 1; i < count && !isDamaged; i++) {
    const value = number()
    if ((value & 1) === 0) position += (value >>> 1) + 1
    else {
      position = value >>> 1
      field += number() + 1
    }
    to += 4
    store<u32>(to, (field << 16) | position)
  }
  decoded += count
  return !isDamaged
}

/** Skips the occurrences of the document at `cursor`. */
function skip(single: bool): void {
  const count = single ? 1 : i32(number())
  number()
  number()
  for (let i = 1; i < count && !isDamaged; i++) if ((number() & 1) !== 0) number()
}

/** Decodes the document at `cursor`: is an occurrence in one of the fields or buckets? */
function occursIn(single: bool, where: i32, names: i32): bool {
  decoded = 0
  if (!decode(single)) {
    isDamaged = true
    return false
  }
  for (let i = 0; i < decoded; i++) {
    const packed = load<u32>(room + DECODED + (usize(i) << 2))
    if (isNamed(where === IN_FIELDS ? packed >>> 16 : bucketOf(packed & 0xffff), names)) return true
  }
  return false
}

/** Sets the bits of the documents of the open posting in one of the fields or buckets, or all. */
function orPosting(where: i32, names: i32): bool {
  if (!isLarge) {
    readSmallIds()
    if (isDamaged) return false
    for (let d = 0; d < df; d++) {
      if (where === 0 || occursIn(isSingle(d), where, names)) setBit(smallId(d))
    }
    return !isDamaged
  }
  if (where === 0) return orSet(wordAt(begin + 16))
  const fields = i32(wordAt(begin + 8))
  if (u32(fields) > 65536) return false
  if (where === IN_FIELDS) return orNamed(HEADER_WORDS, fields, names)
  const hasSets = (wordAt(begin + 4) & POSITION_SETS) !== 0
  if (hasSets && allHaveSets(names)) {
    const positions = i32(wordAt(begin + 12))
    return u32(positions) <= 65536 && orNamed(HEADER_WORDS + fields * 2, positions, names)
  }
  if (!readAllIds()) return false
  const offset = wordAt(begin + 20)
  if (offset > u32(end - begin)) return false
  cursor = begin + i32(offset)
  for (let d = 0; d < df && !isDamaged; d++) {
    const id = docAt(d)
    if (id < idMin || id > idMax) return false
    if (occursIn(false, where, names)) setBit(id)
  }
  return !isDamaged
}

function allHaveSets(names: i32): bool {
  for (let i = 0; i < names; i++) {
    const bucket = load<i32>(room + NAMES + (usize(i) << 2))
    if (df < (bucket < EARLY_BUCKETS ? POSITION_SETS_MIN : LATE_SETS_MIN)) return false
  }
  return true
}

/** Of a table of names and offsets of sets, sets the bits of those that are wanted. */
function orNamed(word: i32, count: i32, names: i32): bool {
  const table = begin + word * 4
  if (table + count * 8 > end) return false
  for (let i = 0; i < count; i++) {
    if (isNamed(wordAt(table + i * 8), names) && !orSet(wordAt(table + i * 8 + 4))) return false
  }
  return !isDamaged
}

/**
 * Unites the documents of `terms` terms, whose ordinals are in `ORDINALS`; with `where`, those with
 * an occurrence in one of the `names` fields or buckets of `NAMES`. Returns their number. The ids
 * are behind the bits if there are fewer than words up to the largest id; else the bits are the result.
 */
export function unite(shared: usize, own: usize, terms: i32, where: i32, names: i32): i32 {
  if (terms > ORDINALS_MAX || names > NAMES_MAX) return REFUSED
  open(shared, own)
  memory.fill(bits, 0, usize(wordCount) << 2)
  for (let i = 0; i < terms; i++) {
    if (!openPosting(load<u32>(room + ORDINALS + (usize(i) << 2)))) return REFUSED
    if (!orPosting(where, names)) return REFUSED
  }
  let size = 0
  for (let w: u32 = 0; w < wordCount; w++) size += i32(popcnt(load<u32>(bits + (usize(w) << 2))))
  if (size > i32(idMax >>> 5)) return size
  let to = bits + (usize(wordCount) << 2)
  for (let w: u32 = 0; w < wordCount; w++) {
    const base = (firstWord + w) << 5
    for (let left = load<u32>(bits + (usize(w) << 2)); left !== 0; left &= left - 1) {
      store<u32>(to, base + u32(ctz(left)))
      to += 4
    }
  }
  return size
}

let entries: i32 = 0

/** Notes that what `decode` appended belongs to candidate `c`. */
@inline
function addEntry(c: i32): void {
  const at = room + ENTRIES + (usize(entries++) << 3)
  store<i32>(at, c)
  store<i32>(at, decoded, 4)
}

@inline
function candidate(c: i32): u32 {
  return load<u32>(room + CANDIDATES + (usize(c) << 2))
}

/** Index of the first candidate from `low` on that is at least `id`. */
function candidateFrom(id: u32, low: i32, count: i32): i32 {
  let step = 1
  let high = low
  while (high < count && candidate(high) < id) {
    low = high + 1
    high += step
    step <<= 1
  }
  if (high > count) high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (candidate(middle) < id) low = middle + 1
    else high = middle
  }
  return low
}

/** Appends the occurrences of the open posting in the candidates, whose bits are set. */
function readAmong(count: i32): bool {
  if (isLarge) return readLargeAmong(count)
  readSmallIds()
  if (isDamaged) return false
  let last = -1
  for (let d = 0; d < df; d++) if (hasBit(smallId(d))) last = d
  let c = 0
  for (let d = 0; d <= last; d++) {
    const id = smallId(d)
    if (!hasBit(id)) skip(isSingle(d))
    else {
      c = candidateFrom(id, c, count)
      if (!decode(isSingle(d))) return false
      addEntry(c++)
    }
  }
  return !isDamaged
}

function readLargeAmong(count: i32): bool {
  if (!openSet(wordAt(begin + 16))) return false
  if (!findRanks(count)) return false
  const table = begin + (HEADER_WORDS + i32(wordAt(begin + 8) + wordAt(begin + 12)) * 2) * 4
  const blocks = (df + BLOCK_DOCUMENTS - 1) / BLOCK_DOCUMENTS
  if (table < begin || table + blocks * 4 > end) return false
  const offset = wordAt(begin + 20)
  if (offset > u32(end - begin)) return false
  const occurrences = begin + i32(offset)
  let block = -1
  let rank = 0
  for (let c = 0; c < count && !isDamaged; c++) {
    const wanted = load<i32>(room + RANKS + (usize(c) << 2))
    if (wanted < 0) continue
    if (wanted >= df) return false
    if (wanted / BLOCK_DOCUMENTS !== block) {
      block = wanted / BLOCK_DOCUMENTS
      rank = block * BLOCK_DOCUMENTS
      const inBlock = wordAt(table + block * 4)
      if (inBlock > u32(end - occurrences)) return false
      cursor = occurrences + i32(inBlock)
    }
    for (; rank < wanted; rank++) skip(false)
    if (!decode(false)) return false
    rank++
    addEntry(c)
  }
  return !isDamaged
}

/** Writes the rank of each candidate in the open set to `RANKS`, or -1. */
function findRanks(count: i32): bool {
  let before = 0
  let next = 0
  let isOpen = false
  for (let c = 0; c < count; ) {
    const wanted = candidate(c) >>> 16
    while (next < containers) {
      if (!openContainer(next)) return false
      if (key >= wanted) break
      before += members
      next++
    }
    isOpen = next < containers && key === wanted
    let low = 0
    let word = 0
    let rank = before
    for (; c < count && candidate(c) >>> 16 === wanted; c++) {
      let found = -1
      const id = candidate(c) & 0xffff
      if (isOpen && members <= ARRAY_IDS_MAX) {
        low = memberFrom(id, low)
        if (low < members && member(low) === id) found = before + low
      } else if (isOpen) {
        const from = post + usize(container)
        for (; word < i32(id >>> 5); word++) rank += i32(popcnt(load<u32>(from + (usize(word) << 2))))
        const own = load<u32>(from + (usize(word) << 2))
        const bit: u32 = 1 << (id & 31)
        if ((own & bit) !== 0) found = rank + i32(popcnt(own & (bit - 1)))
      }
      store<i32>(room + RANKS + (usize(c) << 2), found)
    }
  }
  return true
}

/** Index of the first member of the open array from `low` on that is at least `id`. */
function memberFrom(id: u32, low: i32): i32 {
  let step = 1
  let high = low
  while (high < members && member(high) < id) {
    low = high + 1
    high += step
    step <<= 1
  }
  if (high > members) high = members
  while (low < high) {
    const middle = (low + high) >>> 1
    if (member(middle) < id) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Finds the occurrences of `terms` terms of `ORDINALS`, and of those from `from` to before `to`, in
 * the ascending `CANDIDATES`, `count` of them, which need not be in the segment. Writes them by
 * candidate to `PACKED`, those of candidate i from `STARTS`[i] to before `STARTS`[i + 1]. Returns
 * their number.
 */
export function occurrences(
  shared: usize,
  own: usize,
  terms: i32,
  from: i32,
  to: i32,
  count: i32,
): i32 {
  if (terms > ORDINALS_MAX || count > CANDIDATES_MAX) return REFUSED
  open(shared, own)
  memory.fill(bits, 0, usize(wordCount) << 2)
  for (let c = 0; c < count; c++) {
    const id = candidate(c)
    if (id >= idMin && id <= idMax) setBit(id)
  }
  decoded = 0
  entries = 0
  for (let i = 0; i < terms; i++) {
    if (!openPosting(load<u32>(room + ORDINALS + (usize(i) << 2)))) return REFUSED
    if (!readAmong(count)) return REFUSED
  }
  for (let ordinal = from; ordinal < to; ordinal++) {
    if (!openPosting(ordinal) || !readAmong(count)) return REFUSED
  }
  gather(count, terms + to - from > 1)
  return decoded
}

/** Puts the decoded occurrences in the order of their candidates. */
function gather(count: i32, isMixed: bool): void {
  const starts = room + STARTS
  memory.fill(starts, 0, usize(count + 1) << 2)
  let begun = 0
  for (let e = 0; e < entries; e++) {
    const entry = room + ENTRIES + (usize(e) << 3)
    const at = starts + (usize(load<i32>(entry) + 1) << 2)
    const ended = load<i32>(entry, 4)
    store<i32>(at, load<i32>(at) + ended - begun)
    begun = ended
  }
  for (let c = 0; c < count; c++) {
    const at = starts + (usize(c) << 2)
    store<i32>(at, load<i32>(at) + load<i32>(at, 4), 4)
  }
  if (!isMixed) {
    memory.copy(room + PACKED, room + DECODED, usize(decoded) << 2)
    return
  }
  // The next place of each candidate; RANKS are not used any more.
  const next = room + RANKS
  memory.copy(next, starts, usize(count) << 2)
  begun = 0
  for (let e = 0; e < entries; e++) {
    const entry = room + ENTRIES + (usize(e) << 3)
    const at = next + (usize(load<i32>(entry)) << 2)
    const length = load<i32>(entry, 4) - begun
    const to = load<i32>(at)
    memory.copy(
      room + PACKED + (usize(to) << 2),
      room + DECODED + (usize(begun) << 2),
      usize(length) << 2,
    )
    store<i32>(at, to + length)
    begun += length
  }
  for (let c = 0; c < count; c++) {
    const at = starts + (usize(c) << 2)
    sortRun(room + PACKED + (usize(load<i32>(at)) << 2), load<i32>(at, 4) - load<i32>(at))
  }
}

/** Sorts u32 values: by insertion, over falling distances where there are many. */
function sortRun(values: usize, count: i32): void {
  let gap = 1
  while (gap < count / 9) gap = gap * 3 + 1
  for (; gap > 0; gap /= 3) {
    const far = usize(gap) << 2
    for (let i = gap; i < count; i++) {
      let at = values + (usize(i) << 2)
      const value = load<u32>(at)
      const least = values + far
      while (at >= least && load<u32>(at - far) > value) {
        store<u32>(at, load<u32>(at - far))
        at -= far
      }
      store<u32>(at, value)
    }
  }
}
