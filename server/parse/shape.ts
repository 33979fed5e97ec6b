// What readers accept, told to a description of the API: readers are functions, and carry a JSON
// schema beside. A handler shows what it reads when it is handed a probe in place of a request: the
// reader that meets it throws what it would have read. Nobody can send a probe, since it is told by
// identity, or by a character that no request has.
import type { ErrorCode } from '../errors/index.ts'

/** JSON Schema, 2020-12. */
export type Shape = { readonly [keyword: string]: unknown }

const SHAPES = new WeakMap<object, () => Shape>()

/** Gives a reader its shape, which is worked out when somebody asks. */
export function shaped<R extends object>(reader: R, shape: () => Shape): R {
  SHAPES.set(reader, shape)
  return reader
}

/** Anything at all for a reader that nothing is known of. */
export const shapeOf = (reader: object): Shape => SHAPES.get(reader)?.() ?? {}

/** The same, or null. */
export function orNull(shape: Shape): Shape {
  const { type, enum: words } = shape
  if (typeof type !== 'string') return Object.keys(shape).length === 0 ? {} : nullOr(shape)
  const more = Array.isArray(words) ? { enum: [...words, null] } : {}
  return { ...shape, type: [type, 'null'], ...more }
}

const nullOr = (shape: Shape): Shape => ({ anyOf: [shape, { type: 'null' }] })

export const PROBE_BODY = new Uint8Array(0)
/** Half a character: neither bytes nor UTF-8 come to that. */
export const PROBE_QUERY = '\ud800'

/** A parameter of a query string. */
export type ParameterShape = {
  readonly name: string
  readonly shape: Shape
  readonly code: ErrorCode
}

/** What a probe met. */
export class Probed extends Error {
  override readonly name = 'Probed'
  constructor(
    readonly body: Shape | null,
    readonly parameters: readonly ParameterShape[] | null,
  ) {
    super('a probe is for descriptions')
  }
}

/** To be called by whatever reads a body. @throws Probed for the probe */
export function showBody(body: Uint8Array, shape: () => Shape): void {
  if (body === PROBE_BODY) throw new Probed(shape(), null)
}
