// A request that a user has filled in, and its URL.
import type { SentRequest } from '../parts/index.ts'
import type { Operation } from './api-description.ts'

export type Written = {
  readonly operation: Pick<Operation, 'method' | 'path' | 'parameters'>
  /** Values by parameter name; a parameter with an empty value is not sent. */
  readonly values: ReadonlyMap<string, string>
  /** The body, or null to send none. */
  readonly body: { readonly type: string; readonly text: string } | null
}

export function targetOf({ operation, values }: Written): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? ''),
  )
  const query = new URLSearchParams()
  for (const { name, in: place } of operation.parameters) {
    const value = values.get(name) ?? ''
    if (place === 'query' && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Returns the names of path parameters that have no value yet. */
export const missingOf = ({ operation, values }: Written): readonly string[] =>
  operation.parameters
    .filter(({ name, in: place }) => place === 'path' && (values.get(name) ?? '') === '')
    .map(({ name }) => name)

/** Returns the request as it is sent. */
export const sentOf = (written: Written): SentRequest => ({
  method: written.operation.method,
  target: targetOf(written),
  body: written.body,
})
