// Finds where the words of a phrase follow each other in given documents.
//
// A phrase consists of blocks, between which the query has hard separators. The words of a block
// stand at consecutive positions. The next block begins directly behind it, or behind a hard
// separator of the text. The rarest word of a block is read first, the others only in documents
// that are still possible.
import { WIDE_STEP } from '../../text/index.ts'
import type { LocalOccurrences, TextIndex, Word } from '../segment-text/index.ts'

/** A place in a phrase: the words that may stand there. */
export type PhrasePart = {
  readonly words: readonly Word[]
  /** All words with this prefix may stand there, too; null for none. */
  readonly prefix: string | null
  /** True if a hard separator of the text may stand before it. */
  readonly isBehindBreak: boolean
}

/** Places in some documents: those of ids[i] are packed[starts[i], starts[i + 1]), ascending. */
export type Places = LocalOccurrences & { readonly ids: Uint32Array }

/** Returns places of the phrase, one in each row of its words, and the documents that have some. */
export function placesInRow(
  index: TextIndex,
  parts: readonly PhrasePart[],
  fields: readonly number[] | null,
  ids: Uint32Array,
): Places {
  let last: Places | null = null
  for (const block of blocksOf(parts)) {
    let places: Places = placesOfBlock(index, block, fields, last?.ids ?? ids)
    if (last !== null) places = keep(places, rowsOf(last, places.ids), -1, -WIDE_STEP)
    last = shifted(places, block.length - 1)
  }
  return last!
}

/** Returns places of the rarest part in fields that have all parts, as `placesInRow`. */
export function placesSharingField(
  index: TextIndex,
  parts: readonly PhrasePart[],
  fields: readonly number[] | null,
  ids: Uint32Array,
): Places {
  let places: Places | null = null
  for (const part of byFrequency(parts)) {
    const found = index.occurrences(part.words, part.prefix, places?.ids ?? ids)
    places = places === null ? inFields({ ids, ...found }, fields) : keepSharing(places, found)
  }
  return places!
}

function blocksOf(parts: readonly PhrasePart[]): PhrasePart[][] {
  const blocks: PhrasePart[][] = []
  for (const part of parts) {
    if (blocks.length === 0 || part.isBehindBreak) blocks.push([part])
    else blocks.at(-1)!.push(part)
  }
  return blocks
}

/** Returns the places of the first word of a block. */
function placesOfBlock(
  index: TextIndex,
  block: readonly PhrasePart[],
  fields: readonly number[] | null,
  ids: Uint32Array,
): Places {
  let places: Places | null = null
  let base = 0
  for (const part of byFrequency(block)) {
    const at = block.indexOf(part)
    const found = index.occurrences(part.words, part.prefix, places?.ids ?? ids)
    if (places === null) {
      places = inFields({ ids, ...found }, fields)
      base = at
    } else places = keep(places, found, at - base, at - base)
  }
  return shifted(places!, -base)
}

/** The rarest part first; one that is a prefix last. */
const byFrequency = (parts: readonly PhrasePart[]): PhrasePart[] =>
  [...parts].sort((a, b) => frequencyOf(a) - frequencyOf(b))

const frequencyOf = ({ prefix, words }: PhrasePart): number =>
  prefix !== null
    ? Number.POSITIVE_INFINITY
    : words.reduce((sum, { frequencyMax }) => sum + frequencyMax, 0)

/** Returns the places that have an occurrence one of two distances behind them, in their field. */
function keep(places: Places, found: LocalOccurrences, near: number, far: number): Places {
  const kept = new KeptPlaces(places)
  const { ids, packed, starts } = places
  for (let d = 0; d < ids.length; d++) {
    const to = found.starts[d + 1]!
    let j = found.starts[d]!
    let k = j
    for (let i = starts[d]!; i < starts[d + 1]!; i++) {
      const place = packed[i]!
      while (j < to && found.packed[j]! < place + near) j++
      while (k < to && found.packed[k]! < place + far) k++
      const isNear = j < to && found.packed[j] === place + near && inOneField(place, place + near)
      const isFar = k < to && found.packed[k] === place + far && inOneField(place, place + far)
      if (isNear || isFar) kept.add(place)
    }
    kept.end(ids[d]!)
  }
  return kept.places()
}

/** Returns the places in fields that have an occurrence as well. */
function keepSharing(places: Places, found: LocalOccurrences): Places {
  const kept = new KeptPlaces(places)
  const { ids, packed, starts } = places
  for (let d = 0; d < ids.length; d++) {
    let j = found.starts[d]!
    for (let i = starts[d]!; i < starts[d + 1]!; i++) {
      const field = packed[i]! >>> 16
      while (j < found.starts[d + 1]! && found.packed[j]! >>> 16 < field) j++
      if (j < found.starts[d + 1]! && found.packed[j]! >>> 16 === field) kept.add(packed[i]!)
    }
    kept.end(ids[d]!)
  }
  return kept.places()
}

/** Returns the places in some fields (null for all), without documents that have none. */
function inFields(places: Places, fields: readonly number[] | null): Places {
  const kept = new KeptPlaces(places)
  const { ids, packed, starts } = places
  for (let d = 0; d < ids.length; d++) {
    for (let i = starts[d]!; i < starts[d + 1]!; i++) {
      if (fields === null || fields.includes(packed[i]! >>> 16)) kept.add(packed[i]!)
    }
    kept.end(ids[d]!)
  }
  return kept.places()
}

const inOneField = (a: number, b: number): boolean => a >>> 16 === b >>> 16

/** Moves places within their fields, where they were found to have words. */
function shifted(places: Places, by: number): Places {
  if (by === 0) return places
  return { ...places, packed: places.packed.map((place) => place + by) }
}

/** Returns the places of ascending `ids`, which all have some. */
function rowsOf(places: Places, ids: Uint32Array): LocalOccurrences {
  const kept = new KeptPlaces(places)
  let d = 0
  for (const id of ids) {
    while (places.ids[d]! < id) d++
    for (let i = places.starts[d]!; i < places.starts[d + 1]!; i++) kept.add(places.packed[i]!)
    kept.end(id)
  }
  return kept.places()
}

/** Collects places of one document after the other. */
class KeptPlaces {
  readonly #ids: Uint32Array
  readonly #starts: Uint32Array
  readonly #packed: Uint32Array
  #documents = 0
  #count = 0

  /** `most`: there will be no more documents and places than here. */
  constructor(most: Places) {
    this.#ids = new Uint32Array(most.ids.length)
    this.#starts = new Uint32Array(most.ids.length + 1)
    this.#packed = new Uint32Array(most.starts[most.ids.length]!)
  }

  add(place: number): void {
    this.#packed[this.#count++] = place
  }

  /** Ends a document; without places it is left out. */
  end(id: number): void {
    if (this.#count === this.#starts[this.#documents]) return
    this.#ids[this.#documents++] = id
    this.#starts[this.#documents] = this.#count
  }

  places(): Places {
    return {
      ids: this.#ids.slice(0, this.#documents),
      starts: this.#starts,
      packed: this.#packed,
    }
  }
}
