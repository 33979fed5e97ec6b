// Library functions on strings and characters. Positions and lengths count characters.

import { encoder } from '../../format/bytes/index.ts'
import { Char, Range, Stream, textOfString, type Value } from './language/index.ts'
import { slice } from './library-arrays.ts'
import type { Native, NativeCall, Natives } from './run/index.ts'

type OnString = (text: string, args: readonly Value[], call: NativeCall) => Value | undefined

/** Returns a function on strings with `least` to `most` further arguments. */
const onString =
  (least: number, most: number, apply: OnString): Native =>
  ([text, ...args], call) => {
    if (typeof text !== 'string' || args.length < least || args.length > most) return undefined
    call.meter.touch(text.length, call.at)
    const result = apply(text, args, call)
    if (typeof result === 'string') call.meter.build(result.length + 1, call.at)
    return result
  }

/** Returns a function that replaces a string in its place. */
const changing = (
  least: number,
  most: number,
  apply: (text: string, args: readonly Value[], call: NativeCall) => string | undefined,
): Native =>
  onString(least, most, (text, args, call) => {
    const changed = apply(text, args, call)
    if (changed === undefined) return undefined
    call.meter.checkLength(changed.length, call.at)
    call.meter.build(changed.length + 1, call.at)
    call.place.write(changed)
    return null
  })

/** Returns a function of a string or a character. */
const cased =
  (apply: (text: string) => string): Native =>
  ([value, ...rest], { meter, at }) => {
    if (rest.length > 0) return undefined
    if (value instanceof Char) return new Char(Array.from(apply(value.text))[0] ?? value.text)
    if (typeof value !== 'string') return undefined
    meter.touch(value.length, at)
    meter.build(value.length, at)
    return apply(value)
  }

/** Returns a function of a string and another string or character. */
const comparing = (apply: (text: string, other: string) => Value): Native =>
  onString(1, 1, (text, [value]) => {
    const other = textOfString(value!)
    return other === null ? undefined : apply(text, other)
  })

const characterCount = (text: string): number => Array.from(text).length

/** Returns the characters of a part of `text`, or null if the arguments are invalid. */
function part(text: string, args: readonly Value[]): string | null {
  const characters = Array.from(text)
  const range = slice(characters.length, args)
  return range === null ? null : characters.slice(range[0], range[1]).join('')
}

function split(text: string, [by, most]: readonly Value[], isReversed: boolean): Value[] | null {
  if (by === undefined) return text.split(/\s+/u).filter((word) => word !== '')
  if (typeof by === 'bigint') {
    const characters = Array.from(text)
    const range = slice(characters.length, [by])!
    const [from] = range
    return [characters.slice(0, from).join(''), characters.slice(from).join('')]
  }
  const separator = textOfString(by)
  if (separator === null || (most !== undefined && typeof most !== 'bigint')) return null
  const pieces = separator === '' ? ['', ...Array.from(text), ''] : text.split(separator)
  const count = most === undefined ? pieces.length : Math.max(1, Number(most))
  if (!isReversed) {
    if (pieces.length <= count) return pieces
    return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(separator)]
  }
  const kept = Math.max(0, pieces.length - count + 1)
  const tail = pieces.slice(kept).reverse()
  return kept === 0 ? tail : [...tail, pieces.slice(0, kept).join(separator)]
}

const splitting = (isReversed: boolean): Native =>
  onString(0, 2, (text, args, { meter, at }) => {
    const pieces = split(text, args, isReversed)
    if (pieces === null) return undefined
    meter.build(text.length + pieces.length, at)
    meter.checkCount(pieces.length, at)
    return pieces
  })

function replaced(text: string, args: readonly Value[], { meter, at }: NativeCall) {
  const [from, to] = args.map(textOfString)
  if (from === null || to === null || from === undefined || to === undefined) return undefined
  if (from === '') return text
  let count = 0
  for (
    let found = text.indexOf(from);
    found >= 0;
    found = text.indexOf(from, found + from.length)
  ) {
    count++
  }
  meter.checkLength(text.length + count * (to.length - from.length), at)
  return text.replaceAll(from, () => to)
}

function padded(text: string, [length, value]: readonly Value[], { meter, at }: NativeCall) {
  const filler = textOfString(value!)
  if (typeof length !== 'bigint' || filler === null) return undefined
  const missing = Number(length) - characterCount(text)
  if (missing <= 0 || filler === '') return text
  const width = characterCount(filler)
  const times = Math.ceil(missing / width)
  meter.checkLength(text.length + times * filler.length, at)
  const fill = filler.repeat(times)
  return text + (width === 1 ? fill : Array.from(fill).slice(0, missing).join(''))
}

const indexOf: OnString = (text, [wanted, start]) => {
  const part = textOfString(wanted!)
  if (part === null || (start !== undefined && typeof start !== 'bigint')) return undefined
  const characters = Array.from(text)
  const from = start === undefined ? 0 : slice(characters.length, [start])![0]
  const units = characters.slice(0, from).join('').length
  const found = text.indexOf(part, units)
  return found < 0 ? -1n : BigInt(characterCount(text.slice(0, found)))
}

const pop: Native = onString(0, 1, (text, [count], { place }) => {
  const characters = Array.from(text)
  if (count === undefined) {
    const last = characters.pop()
    place.write(characters.join(''))
    return last === undefined ? null : new Char(last)
  }
  if (typeof count !== 'bigint') return undefined
  const kept = Math.max(0, characters.length - Number(count < 0n ? 0n : count))
  place.write(characters.slice(0, kept).join(''))
  return characters.slice(kept).join('')
})

export const STRING_FUNCTIONS: Natives = {
  len: onString(0, 0, (text) => BigInt(characterCount(text))),
  is_empty: onString(0, 0, (text) => text === ''),
  bytes: onString(0, 0, (text) => BigInt(encoder.encode(text).length)),
  chars: onString(0, 2, (text, args) => {
    const chosen = args.length === 0 ? text : part(text, args)
    if (chosen === null) return undefined
    return new Stream(() => Array.from(chosen, (c) => new Char(c)))
  }),
  to_chars: onString(0, 0, (text, _, { meter, at }) => {
    const characters = Array.from(text, (c) => new Char(c))
    meter.build(characters.length, at)
    meter.checkCount(characters.length, at)
    return characters
  }),
  to_upper: cased((text) => text.toUpperCase()),
  to_lower: cased((text) => text.toLowerCase()),
  make_upper: changing(0, 0, (text) => text.toUpperCase()),
  make_lower: changing(0, 0, (text) => text.toLowerCase()),
  trim: changing(0, 0, (text) => text.trim()),
  contains: comparing((text, other) => text.includes(other)),
  starts_with: comparing((text, other) => text.startsWith(other)),
  ends_with: comparing((text, other) => text.endsWith(other)),
  index_of: onString(1, 2, indexOf),
  sub_string: onString(1, 2, (text, args) => part(text, args) ?? undefined),
  split: splitting(false),
  split_rev: splitting(true),
  get: onString(1, 1, (text, [index]) => {
    if (typeof index !== 'bigint') return undefined
    const characters = Array.from(text)
    const at = index < 0n ? characters.length + Number(index) : Number(index)
    const found = characters[at]
    return found === undefined ? null : new Char(found)
  }),
  set: changing(2, 2, (text, [index, value]) => {
    const character = textOfString(value!)
    if (typeof index !== 'bigint' || character === null) return undefined
    const characters = Array.from(text)
    const at = index < 0n ? characters.length + Number(index) : Number(index)
    if (characters[at] !== undefined) characters[at] = character
    return characters.join('')
  }),
  append: changing(1, 1, (text, [value]) => {
    const more = textOfString(value!)
    return more === null ? undefined : text + more
  }),
  replace: changing(2, 2, replaced),
  remove: changing(1, 1, (text, [value]) => {
    const other = textOfString(value!)
    return other === null ? undefined : other === '' ? text : text.replaceAll(other, '')
  }),
  crop: changing(1, 2, (text, args) => part(text, args) ?? undefined),
  truncate: changing(1, 1, (text, [length]) => {
    if (typeof length !== 'bigint') return undefined
    return part(text, [new Range(0n, length < 0n ? 0n : length, false)]) ?? undefined
  }),
  clear: changing(0, 0, () => ''),
  pad: changing(2, 2, padded),
  pop,
}
