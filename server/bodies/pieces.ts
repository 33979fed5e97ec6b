// A large value on its way from one thread to another, in pieces. A message is copied as a whole
// when it arrives, which takes the receiver 50 to 300 ns a value: in pieces, others run in between.
import { PIECE_WEIGHT } from './limits.ts'

/** One step of putting the value together again. */
export type Step =
  /** A value that is light enough to go whole. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'open'; readonly isList: boolean }
  /** The next value goes under this name of the open object. */
  | { readonly kind: 'name'; readonly name: string }
  /** A list of numbers. */
  | { readonly kind: 'numbers'; readonly values: Float64Array }
  /** Elements for the open list. */
  | { readonly kind: 'elements'; readonly values: readonly unknown[] }
  /** Members for the open object. */
  | {
      readonly kind: 'members'
      readonly names: readonly string[]
      readonly values: readonly unknown[]
    }
  | { readonly kind: 'close' }

/**
 * Longer lists are put together by the receiver: V8 makes a list that was copied one that may have
 * holes, which takes ten times as long to copy again. Vectors and names go on to search threads.
 */
const WHOLE_LENGTH_MAX = 64
/** Numbers are quick. */
const NUMBERS = 8

/** A text counts as one more value for each so many characters of it. */
const CHARACTERS = 256
/** And bytes, which are copied as they are. */
const BYTES = 4096

/**
 * The weight of a value of plain data, about the number of values in it; `heavy` gets those lists
 * and objects inside that do not go whole.
 */
function weigh(value: unknown, heavy: Set<object> | null): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS
  if (typeof value !== 'object' || value === null) return 1
  if (isBinary(value)) {
    if (value.byteLength > BYTES) heavy?.add(value)
    return 1 + value.byteLength / BYTES
  }
  let weight = 2
  const heavyBefore = heavy?.size
  if (Array.isArray(value)) for (const element of value) weight += weigh(element, heavy)
  else {
    for (const name of Object.keys(value)) {
      weight += 1 + weigh((value as { readonly [name: string]: unknown })[name], heavy)
    }
  }
  const isLong = Array.isArray(value) && value.length > WHOLE_LENGTH_MAX
  const holdsHeavy = heavy?.size !== heavyBefore
  if (weight > PIECE_WEIGHT || isLong || holdsHeavy) heavy?.add(value)
  return weight
}

/** The pieces of a value of plain data, each of about `PIECE_WEIGHT`. */
export function* piecesOf(value: unknown): Generator<readonly Step[], void, undefined> {
  const heavy = new Set<object>()
  weigh(value, heavy)
  let piece: Step[] = []
  let weight = 0
  for (const step of stepsOf(value, heavy)) {
    piece.push(step)
    weight += weightOf(step)
    if (weight < PIECE_WEIGHT) continue
    yield piece
    piece = []
    weight = 0
  }
  if (piece.length > 0) yield piece
}

const weightOf = (step: Step): number => {
  if (step.kind === 'value') return weigh(step.value, null)
  if (step.kind === 'numbers') return step.values.length / NUMBERS
  if (step.kind === 'elements') return weigh(step.values, null)
  return step.kind === 'members' ? weigh(step.names, null) + weigh(step.values, null) : 1
}

function* stepsOf(value: unknown, heavy: ReadonlySet<object>): Generator<Step, void, undefined> {
  const isWhole = typeof value !== 'object' || value === null || !heavy.has(value)
  if (isWhole || isBinary(value)) {
    yield { kind: 'value', value }
    return
  }
  const isList = Array.isArray(value)
  if (isList && value.every(isNumber)) {
    yield { kind: 'numbers', values: Float64Array.from(value) }
    return
  }
  yield { kind: 'open', isList }
  const names = Object.keys(value)
  let run: Run = { names: [], values: [], weight: 0 }
  for (const name of names) {
    const inner = (value as { readonly [name: string]: unknown })[name]
    const isHeavy = typeof inner === 'object' && inner !== null && heavy.has(inner)
    if (isHeavy || run.weight >= PIECE_WEIGHT) {
      if (run.values.length > 0) yield stepOf(run, isList)
      run = { names: [], values: [], weight: 0 }
    }
    if (isHeavy) {
      if (!isList) yield { kind: 'name', name }
      yield* stepsOf(inner, heavy)
    } else {
      if (!isList) run.names.push(name)
      run.values.push(inner)
      run.weight += 1 + weigh(inner, null)
    }
  }
  if (run.values.length > 0) yield stepOf(run, isList)
  yield { kind: 'close' }
}

/** Texts and vectors, as bytes. */
const isBinary = (value: unknown): value is Uint8Array | Float64Array =>
  value instanceof Uint8Array || value instanceof Float64Array

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Light values next to each other. */
type Run = { readonly names: string[]; readonly values: unknown[]; weight: number }

const stepOf = ({ names, values }: Run, isList: boolean): Step =>
  isList ? { kind: 'elements', values } : { kind: 'members', names, values }

/** What of a piece need not be copied: bytes that stand alone. */
export function transferOf(piece: readonly Step[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  for (const step of piece) {
    if (step.kind === 'numbers') buffers.add(step.values.buffer as ArrayBuffer)
    if (step.kind !== 'value' || !isBinary(step.value)) continue
    const { buffer, byteLength } = step.value
    if (buffer.byteLength === byteLength) buffers.add(buffer as ArrayBuffer)
  }
  return [...buffers]
}

/** Puts a value together again. */
export class Assembly {
  /** Lists and objects that are open, the innermost last; the first holds the value itself. */
  readonly #open: unknown[][] = [[]]
  readonly #names: string[] = []
  readonly #objects: (object | null)[] = [null]

  add(piece: readonly Step[]): void {
    for (const step of piece) this.#take(step)
  }

  /** The value, once its last piece was added. */
  get value(): unknown {
    return this.#open[0]![0]
  }

  #take(step: Step): void {
    switch (step.kind) {
      case 'value':
        this.#put(step.value)
        return
      case 'numbers':
        this.#put(packed(step.values))
        return
      case 'open':
        this.#objects.push(step.isList ? null : {})
        this.#open.push([])
        return
      case 'name':
        this.#names.push(step.name)
        return
      case 'elements':
        for (const value of step.values) this.#open.at(-1)!.push(value)
        return
      case 'members':
        step.values.forEach((value, at) => {
          define(this.#objects.at(-1)!, step.names[at]!, value)
        })
        return
      case 'close': {
        const list = this.#open.pop()
        this.#put(this.#objects.pop() ?? list)
        return
      }
      default:
        step satisfies never
    }
  }

  #put(value: unknown): void {
    const object = this.#objects.at(-1)!
    if (object === null) this.#open.at(-1)!.push(value)
    else define(object, this.#names.pop()!, value)
  }
}

/** The same as a list without holes. */
const packed = (values: Iterable<number>): number[] => {
  const list: number[] = []
  for (const value of values) list.push(value)
  return list
}

const define = (object: object, name: string, value: unknown): void => {
  if (name !== '__proto__') (object as { [name: string]: unknown })[name] = value
  else {
    const asMember = { writable: true, enumerable: true, configurable: true }
    Object.defineProperty(object, name, { value, ...asMember })
  }
}
