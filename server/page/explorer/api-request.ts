// A request that a user has filled in: its URL, and the same request as a curl command.
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

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Returns the curl command. It contains a placeholder instead of the key, because commands are
 * shown and shared.
 */
export function curlOf(written: Written, origin: string, hasKey: boolean): string {
  const { operation, body } = written
  return [
    `curl -X ${operation.method} ${quoted(origin + targetOf(written))}`,
    ...(hasKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body === null
      ? []
      : [`-H ${quoted(`Content-Type: ${body.type}`)}`, `--data-binary ${quoted(body.text)}`]),
  ].join(' \\\n  ')
}
