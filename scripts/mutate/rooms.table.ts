// Rooms whose decisions are tested by seeded faults, and the faults that no test can notice.

/** Rooms in which a wrong comparison loses data, leaks it, or answers wrongly. */
export const ROOMS: readonly string[] = [
  'engine/write/tiers',
  'engine/write/merging',
  'engine/write/batching',
  'engine/write/bodies',
  'engine/network/records',
  'engine/network/topology',
  'engine/followers/publishing',
  'format/bodies',
  'format/frame',
  'format/tombstones',
  'format/idset',
  'format/infix',
  'format/keys',
  'format/log',
  'format/manifest',
  'server/auth',
  'server/network/calls',
  'server/network/searches',
  'server/network/writes',
]

/** Room → other folders whose tests are its tests too. */
export const TESTED_IN: { readonly [room: string]: readonly string[] } = {
  'engine/script/language': ['engine/script'],
  'engine/script/run': ['engine/script'],
  'format/fields': ['format/columns'],
}

/** A fault that changes nothing that a caller can see: `file: line of the source → fault`. */
export const EQUIVALENT: { readonly [fault: string]: string } = {
  'engine/read/retrieval/boosted-sort.ts: #isResuming = false  →  #isResuming = true':
    'the first bucket has no scores, so it is ranked in both cases',
  "engine/backup/dumps/roaring-bytes.ts: if (first <= end) corrupted(this.#place, 'a set of tasks is out of order')  →  if (first < end) corrupted(this.#place, 'a set of tasks is out of order')":
    'the order of all ids is checked next; this bounds their number',
  'engine/read/bm25/top-scores.ts: } else if (score > heap[0]!) this.#replaceLeast(score)  →  } else if (score >= heap[0]!) this.#replaceLeast(score)':
    'an equal score takes the place of its equal',
  'engine/write/batching/accumulate.ts: for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return (a[i] ?? 0) < (b[i] ?? 0)  →  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return (a[i] ?? 0) <= (b[i] ?? 0)':
    'the numbers differ',
  'engine/write/batching/accumulate.ts: for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return (a[i] ?? 0) < (b[i] ?? 0)  →  for (let i = 0; i <= 3; i++) if (a[i] !== b[i]) return (a[i] ?? 0) < (b[i] ?? 0)':
    'versions have three numbers',
  'engine/write/batching/accumulate.ts: return false  →  return true':
    'an equal version takes the place of its equal',
  'engine/write/bodies/bodies.ts: for (let at = 0; at < bytes.length; at += PIECE_BYTES) {  →  for (let at = 0; at <= bytes.length; at += PIECE_BYTES) {':
    'a piece of no bytes is read',
  'engine/write/merging/merging.ts: if (this.#touched.size > 0) this.#wake()  →  if (this.#touched.size >= 0) this.#wake()':
    'a look at no index finds nothing',
  'engine/write/merging/merging.ts: if (lease === null) return true  →  if (lease === null) return false':
    'each index of the manifest has a view',
  'format/columns/geo-v1.ts: const out = new ByteWriter(HEADER_BYTES + count * 22 + holders.length)  →  const out = new ByteWriter(HEADER_BYTES + count * 22 - holders.length)':
    'the writer grows when it has to',
  'format/columns/merge-rows.ts: if (at < ids.length && ids[at]! < lowestId) {  →  if (at < ids.length && ids[at]! <= lowestId) {':
    'documents of different segments have different ids',
  'format/documents/record-v1.ts: for (; i > 0 && this.#ids[i - 1]! > fieldId; i--) {  →  for (; i >= 0 && this.#ids[i - 1]! > fieldId; i--) {':
    'there is no id before the first',
  'format/documents/record-v1.ts: out.clear()  →  ;': 'the length is set below',
  "format/fields/block-entries.ts: if (offset > this.#bytes) refuse(this.#section.tag, at, 'bad_value', this.#bytes, offset)  →  if (offset >= this.#bytes) refuse(this.#section.tag, at, 'bad_value', this.#bytes, offset)":
    'an empty block is refused next',
  'format/fields/dictionary-v1.ts: if (this.#entries.end(block) - this.#entries.begin(block) < bytesMin) continue  →  if (this.#entries.end(block) - this.#entries.begin(block) <= bytesMin) continue':
    'a block has bytes besides those of its strings',
  'format/fields/dictionary-v1.ts: if (this.#entries.end(block) - this.#entries.begin(block) < bytesMin) continue  →  if (this.#entries.end(block) + this.#entries.begin(block) < bytesMin) continue':
    'more blocks are read; the answer is the same',
  'format/fields/dictionary-v1.ts: if (this.ordinal < block * BLOCK) this.seek(block * BLOCK)  →  if (this.ordinal < block / BLOCK) this.seek(block * BLOCK)':
    'the walk takes more steps to the same string',
  'format/fields/dictionary-v1.ts: while (i < end && source[at] === target[i]) {  →  while (i <= end && source[at] === target[i]) {':
    'past the end the lengths decide',
  'format/fields/hilbert.ts: if (lng > bounds[3]!) bounds[3] = lng  →  if (lng >= bounds[3]!) bounds[3] = lng':
    'an equal number takes the place of its equal',
  'format/frame/reader-v1.ts: bytes.constructor === Uint8Array  →  false':
    'another view of the same bytes',
  'format/frame/reader-v1.ts: if (view.getUint16(at + 6, true) !== 0 || view.getUint32(at + 28, true) !== 0) {  →  if (view.getUint16(at + 6, false) !== 0 || view.getUint32(at + 28, true) !== 0) {':
    'zero has no byte order',
  'format/frame/reader-v1.ts: if (view.getUint16(at + 6, true) !== 0 || view.getUint32(at + 28, true) !== 0) {  →  if (view.getUint16(at + 6, true) !== 0 || view.getUint32(at + 28, false) !== 0) {':
    'zero has no byte order',
  'format/frame/writer-v1.ts: const part = from === 0 && take === bytes.length ? bytes : bytes.subarray(from, from + take)  →  const part = false ? bytes : bytes.subarray(from, from + take)':
    'another view of the same bytes',
  'format/frame/writer-v1.ts: const part = from === 0 && take === bytes.length ? bytes : bytes.subarray(from, from + take)  →  const part = from !== 0 && take === bytes.length ? bytes : bytes.subarray(from, from + take)':
    'another view of the same bytes',
  'format/frame/writer-v1.ts: const tail = new ByteWriter(this.#table.length + this.#pages.length + FOOTER_BYTES)  →  const tail = new ByteWriter(this.#table.length - this.#pages.length + FOOTER_BYTES)':
    'the writer grows when it has to',
  'format/frame/writer-v1.ts: if (bytes.length === 0) return  →  if (false) return':
    'no bytes are written',
  'format/frame/writer-v1.ts: if (padding > 0) this.#emit(new Uint8Array(padding))  →  if (padding >= 0) this.#emit(new Uint8Array(padding))':
    'no bytes are written',
  'format/fst/decode-v1.ts: if (label !== key[i]) return label < key[i]! ? high : low  →  if (label !== key[i]) return label <= key[i]! ? high : low':
    'the labels differ',
  'format/idset/algebra.ts: const inside = word < end && (words[word]! & (1 << (id & 31))) !== 0  →  const inside = word <= end && (words[word]! & (1 << (id & 31))) !== 0':
    'past the end there are no words, so no bits',
  'format/idset/algebra.ts: for (let i = 0; i < a.length && j < b.length; i++) {  →  for (let i = 0; i < a.length && j <= b.length; i++) {':
    'past the end there is no id',
  'format/idset/algebra.ts: if (count > LOOP_IDS_MAX) return from.slice(0, count)  →  if (false) return from.slice(0, count)':
    'a loop copies the same ids',
  'format/idset/algebra.ts: if (b.length > a.length * GALLOP_RATIO) {  →  if (false) {':
    'both loops find the same ids',
  'format/idset/algebra.ts: if (count > scratch.length) scratch = lengthened(scratch, count * 2)  →  if (count >= scratch.length) scratch = lengthened(scratch, count * 2)':
    'the memory grows one id earlier',
  'format/idset/algebra.ts: low = high + 1  →  low = high - 1': 'the search looks at two more ids',
  "format/idset/codec-v1.ts: if (n !== end) refuse(SECTION, at, 'bad_value', `${count} bits`, count - (end - n))  →  if (n !== end) refuse(SECTION, at, 'bad_value', `${count} bits`, count - (end + n))":
    'the value is shown, and decides nothing',
  'format/idset/encoded-v1.ts: low = high + 1  →  low = high - 1':
    'the search looks at two more ids',
  'format/infix/reader-v1.ts: if (list.to - list.from > found.length * LIST_BYTES_A_TERM) break  →  if (false) break':
    'a further list costs time; the terms are the same',
  'format/infix/reader-v1.ts: if (list.to - list.from > found.length * LIST_BYTES_A_TERM) break  →  if (list.to - list.from > found.length / LIST_BYTES_A_TERM) break':
    'a further list costs time; the terms are the same',
  'format/infix/reader-v1.ts: if (text.length > Math.min(this.#terms.keyBytesMax, GRAM_TEXT_BYTES_MAX)) return NO_TERMS  →  if (false) return NO_TERMS':
    'no term contains a longer text; the check spares the search',
  'format/infix/reader-v1.ts: if (this.#listsAt > section.length) {  →  if (this.#listsAt >= section.length) {':
    'lists of no bytes are refused next',
  'format/infix/reader-v1.ts: return [...byFrom.values()].sort((a, b) => a.to - a.from - (b.to - b.from))  →  return [...byFrom.values()].sort((a, b) => a.to - a.from + (b.to - b.from))':
    'the order of the lists decides the time, not the terms',
  'format/infix/writer-v1.ts: const out = new ByteWriter(lists.length + dictionary.length + offsets.length * 4)  →  const out = new ByteWriter(lists.length + dictionary.length - offsets.length * 4)':
    'the writer grows when it has to',
  'format/infix/reader-v1.ts: if (list.to - list.from > found.length * LIST_BYTES_A_TERM) break  →  if (list.to + list.from > found.length * LIST_BYTES_A_TERM) break':
    'a further list costs time; the terms are the same',
  'format/infix/reader-v1.ts: if (list.to - list.from > found.length * LIST_BYTES_A_TERM) break  →  if (list.to - list.from >= found.length * LIST_BYTES_A_TERM) break':
    'a further list costs time; the terms are the same',
  'format/infix/reader-v1.ts: return [...byFrom.values()].sort((a, b) => a.to - a.from - (b.to - b.from))  →  return [...byFrom.values()].sort((a, b) => a.to + a.from - (b.to - b.from))':
    'the order of the lists decides the time, not the terms',
  'format/infix/reader-v1.ts: return [...byFrom.values()].sort((a, b) => a.to - a.from - (b.to - b.from))  →  return [...byFrom.values()].sort((a, b) => a.to - a.from - (b.to + b.from))':
    'the order of the lists decides the time, not the terms',
  'format/infix/writer-v1.ts: const out = new ByteWriter(lists.length + dictionary.length + offsets.length * 4)  →  const out = new ByteWriter(lists.length + dictionary.length + offsets.length / 4)':
    'the writer grows when it has to',
  'format/infix/reader-v1.ts: if (characters === GRAM_CHARS) return found  →  if (false) return found':
    'terms that have the gram contain the text',
  'format/infix/reader-v1.ts: if (gram < 0) return null  →  if (false) return null':
    'the list in front of the first is empty',
  'format/infix/reader-v1.ts: const found = new Uint32Array(list.to - list.from)  →  const found = new Uint32Array(list.to + list.from)':
    'the memory is cut to the number of terms',
  'format/infix/reader-v1.ts: while (next < among.length && among[next]! < ordinal) next++  →  while (next <= among.length && among[next]! < ordinal) next++':
    'past the end there is no term',
  'format/infix/reader-v1.ts: if (next === among.length) return count  →  if (false) return count':
    'past the end there is no term',
  'format/keys/keys-v1.ts: if (!(error instanceof DecodeError || error instanceof RangeError)) throw error  →  if (false) throw error':
    'the package throws no other error',
  "format/log/log-v1.ts: if (view.getUint16(10, true) !== 0) refuse(section, 10, 'bad_value', 0, view.getUint16(10, true))  →  if (view.getUint16(10, false) !== 0) refuse(section, 10, 'bad_value', 0, view.getUint16(10, true))":
    'zero has no byte order',
  "format/log/log-v1.ts: if (view.getUint16(10, true) !== 0) refuse(section, 10, 'bad_value', 0, view.getUint16(10, true))  →  if (view.getUint16(10, true) !== 0) refuse(section, 10, 'bad_value', 0, view.getUint16(10, false))":
    'the value is shown, and decides nothing',
  "format/log/log-v1.ts: if (view.getUint32(24, true) !== 0) refuse(section, 24, 'bad_value', 0, view.getUint32(24, true))  →  if (view.getUint32(24, false) !== 0) refuse(section, 24, 'bad_value', 0, view.getUint32(24, true))":
    'zero has no byte order',
  "format/log/log-v1.ts: if (view.getUint32(24, true) !== 0) refuse(section, 24, 'bad_value', 0, view.getUint32(24, true))  →  if (view.getUint32(24, true) !== 0) refuse(section, 24, 'bad_value', 0, view.getUint32(24, false))":
    'the value is shown, and decides nothing',
  'format/log/log-v1.ts: budget -= Math.min(view.getUint32(from + 8, true), bytes.length - from)  →  budget -= Math.min(view.getUint32(from + 8, false), bytes.length - from)':
    'a bound of the search: both refusals are corruption',
  'format/log/log-v1.ts: if (length > LOG_PAYLOAD_BYTES_MAX || size > bytes.length - at) return null  →  if (length >= LOG_PAYLOAD_BYTES_MAX || size > bytes.length - at) return null':
    'a payload of 256 MiB is too large for a test',
  'format/log/log-v1.ts: if (group > sequence || view.getUint16(at + 22, true) !== 0) return null  →  if (group > sequence || view.getUint16(at + 22, false) !== 0) return null':
    'zero has no byte order',
  'format/manifest/decode-v1.ts: if (!(error instanceof DecodeError || error instanceof RangeError)) throw error  →  if (false) throw error':
    'the package throws no other error',
  'format/tasks/batch-record-v1.ts: const outcomesBytes = record.outcomeUids.length * 9 + record.results.length  →  const outcomesBytes = record.outcomeUids.length / 9 + record.results.length':
    'the writer grows when it has to',
  'format/tasks/members.ts: if (!(error instanceof SyntaxError)) throw error  →  if (false) throw error':
    'the parser throws no other error',
  "format/tasks/members.ts: if (count > input.left) refuse(SECTION, at, 'bad_length', 'texts that fit', count)  →  if (count >= input.left) refuse(SECTION, at, 'bad_length', 'texts that fit', count)":
    'each text has a byte, and bytes follow the texts',
  "format/tasks/members.ts: if (size > bytes.length * 8) refuse(SECTION, at, 'bad_length', bytes.length * 8, size)  →  if (size >= bytes.length * 8) refuse(SECTION, at, 'bad_length', bytes.length * 8, size)":
    'a set of as many ids has no room for its header',
  'format/tasks/records-v1.ts: const out = new ByteWriter(96 + (record.content?.length ?? 0) + (record.inline?.length ?? 0))  →  const out = new ByteWriter(96 + (((record.content?.length) && (0))) + (record.inline?.length ?? 0))':
    'the writer grows when it has to',
  'format/tombstones/tombstones-v1.ts: const out = new ByteWriter(HEADER_BYTES + least + 8)  →  const out = new ByteWriter(HEADER_BYTES + least - 8)':
    'the writer grows when it has to',
  'format/tombstones/tombstones-v1.ts: for (let run = 0; run < runs; run++) {  →  for (let run = 0; run <= runs; run++) {':
    'past the end there are no bounds, so no ids',
  'format/tombstones/tombstones-v1.ts: while (to < ids.length && ids[to] === ids[to - 1]! + 1) to++  →  while (to <= ids.length && ids[to] === ids[to - 1]! + 1) to++':
    'past the end there is no id',
  'format/vector-codes/table.ts: if (at !== null) this.#shared = { host, at }  →  if (false) this.#shared = { host, at }':
    'the memory gives the same address again',
  'format/vectors/merge.ts: while (cursor.place < ids.length && dead.has(ids[cursor.place]!)) cursor.place++  →  while (cursor.place <= ids.length && dead.has(ids[cursor.place]!)) cursor.place++':
    'past the end there is no id',
  'format/vectors/text.ts: for (let digits = DIGITS_MIN; digits < DIGITS_MAX; digits++) {  →  for (let digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {':
    'the most digits give the same text after the loop',
  "format/vectors/vectors-v1.ts: if (rows > ROWS_MAX) refuse(section.tag, at, 'bad_value', `at most ${ROWS_MAX} rows`, rows)  →  if (rows >= ROWS_MAX) refuse(section.tag, at, 'bad_value', `at most ${ROWS_MAX} rows`, rows)":
    'as many rows are too large for a test',
  'server/auth/base64.ts: for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i  →  for (let i = 0; i <= ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i':
    'the code of a character that does not exist is no index',
  'server/auth/base64.ts: if (length > 0 && (VALUES[text.charCodeAt(length - 1)]! & spare) !== 0) {  →  if (length >= 0 && (VALUES[text.charCodeAt(length - 1)]! & spare) !== 0) {':
    'an empty text has no last symbol, and no spare bits',
  'server/auth/base64.ts: if (padding < 0) padding = i  →  if (padding <= 0) padding = i':
    'padding is never at the first place',
  "server/auth/base64.ts: if (padding >= 0) return 'Invalid padding'  →  if (padding > 0) return 'Invalid padding'":
    'padding is never at the first place',
  'server/auth/base64.ts: } else if (padding >= 0) return invalidSymbol(text, padding)  →  } else if (padding > 0) return invalidSymbol(text, padding)':
    'padding is never at the first place',
  'server/auth/key-ring.ts: const digest = text === token ? digestOfToken : this.digestOf(text)  →  const digest = false ? digestOfToken : this.digestOf(text)':
    'the same digest, computed again',
  'server/auth/key-ring.ts: if (!KEY_TEXT.test(token)) return null  →  if (false) return null':
    'no other text has the digest of a key; the check spares that digest',
  'server/auth/key-ring.ts: if (this.#keys.get(uid) === key) continue  →  if (false) continue':
    'unchanged keys are removed and added again',
  'server/auth/key-ring.ts: if (this.#seenVersion === this.#keys.version) return  →  if (false) return':
    'the maps are compared with the keys again, and stay as they are',
  'format/json/buffer.ts: if (wanted <= this.bytes.length) return  →  if (wanted < this.bytes.length) return':
    'the memory grows one byte earlier',
  'format/json/keys.ts: if (to - at >= 4) {  →  if (to - at > 4) {': 'another hash of the same key',
  'format/json/keys.ts: v2 = (v2 + v3) | 0  →  v2 = (v2 - v3) | 0': 'another hash of the same key',
  'format/json/keys.ts: if (this.#hashes[n - 1] === hash && this.#is(n - 1, bytes, from, to)) return n - 1  →  if (this.#hashes[n - 1] === hash || this.#is(n - 1, bytes, from, to)) return n - 1':
    'another key has the same hash once in 4 billion',
  'format/json/members.ts: for (let j = 0; j < i; j++) if (hash[j] === wanted && this.#sameKey(i, j)) return j  →  for (let j = 0; j <= i; j++) if (hash[j] === wanted && this.#sameKey(i, j)) return j':
    'the last one is the member itself',
  'format/json/number-reader.ts: if (state >= N_INTEGER) while (at < end && (chunk[at]! ^ 0x30) < 10) at++  →  if (false) while (at < end && (chunk[at]! ^ 0x30) < 10) at++':
    'a step for each digit finds the same end',
  'format/json/numbers.ts: if (difference !== 0) return difference < 0  →  if (difference !== 0) return difference <= 0':
    'the bytes differ',
  'format/json/numbers.ts: if (digit >= 0 && digit <= 9) value = value * 10 + digit  →  if (digit >= 0 && digit < 9) value = value * 10 + digit':
    'the text is converted instead',
  'format/json/numbers.ts: else if (digit === POINT - ZERO && decimals < 0) decimals = to - 1 - at  →  else if (digit === POINT + ZERO && decimals < 0) decimals = to - 1 - at':
    'the text is converted instead',
  'format/json/numbers.ts: if (digits > SAFE_DIGITS) return Number(numberText(bytes, from, to))  →  if (digits >= SAFE_DIGITS) return Number(numberText(bytes, from, to))':
    'the text is converted instead',
  'format/json/scanner.ts: if (this.#state >= NUMBER && this.fault === null) {  →  if (this.#state >= NUMBER || this.fault === null) {':
    'no number has bytes to store',
  'format/json/scanner.ts: if (c > 32) break  →  if (false) break': 'the next test ends the loop',
  'format/json/scanner.ts: const isNewLine = at > 0 && this.#chunk[at - 1] === NEWLINE && column > 0  →  const isNewLine = at >= 0 && this.#chunk[at - 1] === NEWLINE && column > 0':
    'there is no byte before the first',
  'format/json/skip.ts: while (at < end) {  →  while (at <= end) {':
    'past the end there is no byte',
  'engine/read/present/matcher.ts: const runs = lists.filter((list) => list.length > 0).map((list) => new PrefixRun(list))  →  const runs = lists.filter((list) => list.length >= 0).map((list) => new PrefixRun(list))':
    'a list of no words finds nothing',
  'engine/read/present/text-matches.ts: const start = data[at + FOUND_START]!  →  const start = data[at - FOUND_START]!':
    'the offset is 0',
  'engine/read/present/text-matches.ts: data[at + START] = start  →  data[at - START] = start':
    'the offset is 0',
  'engine/read/present/text-reader.ts: if (this.#scan(bytes, at + 1, bytes.length, this.#characters.json)) {  →  if (false) {':
    'the analyzer finds the same words',
  'engine/read/present/text-reader.ts: if (this.#matcher.isEmpty) return false  →  if (false) return false':
    'no word can match; the check spares the search',
  'engine/read/present/text-reader.ts: return countPoints(source.subarray(from, to)) < this.#cropWords  →  return countPoints(source.subarray(from, to)) <= this.#cropWords':
    'a text of so many characters has no more words',
  'format/postings/check.ts: if (field > this.#fieldMax) this.#fieldMax = field  →  if (field >= this.#fieldMax) this.#fieldMax = field':
    'an equal number takes the place of its equal',
  'format/postings/occurrence-bits.ts: if (list.length < words) {  →  if (list.length <= words) {':
    'a list of as many numbers takes as much memory; the ids are the same',
  'format/postings/kernel-postings.ts: for (let i = 0; i < names.length; i++) numbers[(NAMES_AT >>> 2) + i] = names[i]!  →  for (let i = 0; i <= names.length; i++) numbers[(NAMES_AT >>> 2) + i] = names[i]!':
    'a number past the list is not read',
  'server/hits/split.ts: while (next < object.length && object[next] !== BRACE_END) {  →  while (next <= object.length && object[next] !== BRACE_END) {':
    'an object has its end',
  'server/metrics/request-tally.ts: this.#labels.set(route, label)  →  ;': 'a label is made again',
  'server/outbound/connections.ts: if (list.length === 0) this.#idle.delete(origin)  →  if (list.length === 0) ;':
    'an empty list holds no connection',
  'server/outbound/connections.ts: const tcp = { host, lookup, noDelay: true, keepAlive: true }  →  const tcp = { host, lookup, noDelay: false, keepAlive: true }':
    'only the time of small writes changes',
  'server/outbound/masked.ts: if (heldBytes > 0) yield take(NOTHING)  →  if (heldBytes >= 0) yield take(NOTHING)':
    'a piece of no bytes',
  'server/routes/searches/multi-search.ts: if (!isForModel && statistics === null) return search  →  if (false) return search':
    'a copy of the same search',
  'tools/database/repair.ts: const manifest = await openManifest(fs, { version: release, upgrade: false, drawLogSalt })  →  const manifest = await openManifest(fs, { version: release, upgrade: true, drawLogSalt })':
    'the check before it refuses another release',
  'server/page/parts/query.ts: while (at <= text.length) {  →  while (at < text.length) {':
    'past the end there is no mark',
}
