// Transfers a large value between threads in pieces. A message is copied as a whole when it
// arrives, which occupies the receiver for all of it; between pieces, other work can run.
import { PIECE_WEIGHT } from './limits.ts'

/** One step of rebuilding the value. */
export type Step =
  /** A value light enough to be sent whole. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'open'; readonly isList: boolean }
  /** The next value belongs under this name in the open object. */
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
 * Longer lists are rebuilt by the receiver: V8 marks a copied list as one that may have holes, and
 * copying such a list again is slow. Vectors and names are copied again, to search threads.
 */
const WHOLE_LENGTH_MAX = 64
/** Numbers per unit of weight. */
const NUMBERS = 8

/** Characters per unit of weight. */
const CHARACTERS = 256
/** Bytes per unit of weight; they are copied unchanged. */
const BYTES = 4096

/**
 * Returns the weight of plain data, about its number of values; adds the lists and objects that are
 * too heavy to be sent whole to `heavy`.
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

/** Splits plain data into pieces of about `PIECE_WEIGHT`. */
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

/** True for bytes and for vectors, whose memory is copied as it is. */
const isBinary = (value: unknown): value is Uint8Array | Float64Array =>
  value instanceof Uint8Array || value instanceof Float64Array

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Adjacent light values. */
type Run = { readonly names: string[]; readonly values: unknown[]; weight: number }

const stepOf = ({ names, values }: Run, isList: boolean): Step =>
  isList ? { kind: 'elements', values } : { kind: 'members', names, values }

/**
 * Returns the buffers of a piece that can be transferred instead of copied: bytes that stand alone.
 */
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

/** Rebuilds a value from its pieces. */
export class Assembly {
  /** The open lists and objects, the innermost last; the first holds the value itself. */
  readonly #open: unknown[][] = [[]]
  readonly #names: string[] = []
  readonly #objects: (object | null)[] = [null]

  add(piece: readonly Step[]): void {
    for (const step of piece) this.#take(step)
  }

  /** The value, complete after its last piece. */
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

/** Copies values to a list without holes. */
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
