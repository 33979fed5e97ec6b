// Reads the server's OpenAPI document into the list of operations that the page shows.
import type { JsonSchema } from '../parts/index.ts'

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description?: string
  readonly schema: JsonSchema
}
type Content = { readonly [type: string]: { readonly schema: JsonSchema } }
type OperationAnswer = { readonly description: string; readonly content?: Content }
type OperationObject = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: { readonly [status: string]: OperationAnswer }
  readonly 'x-action'?: string
}
export type Description = {
  readonly info: { readonly version: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: { readonly [path: string]: { readonly [method: string]: OperationObject } }
  readonly components: { readonly schemas: { readonly [name: string]: JsonSchema } }
}

export type Operation = {
  readonly id: string
  readonly method: string
  /** The path, with parameters in braces. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly parameters: readonly Parameter[]
  /** The body by content type, or null if the operation has no body. */
  readonly body: Content | null
  readonly answers: { readonly [status: string]: OperationAnswer }
  /** The action that a key must permit, or null if no key is required. */
  readonly action: string | null
}

export function operationsOf({ paths }: Description): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      summary: operation.summary,
      tag: operation.tags[0] ?? '',
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content ?? null,
      answers: operation.responses,
      action: operation['x-action'] ?? null,
    })),
  )
}

/** Returns true if the method, path and summary of an operation contain all words of `text`. */
export function matches({ method, path, summary }: Operation, text: string): boolean {
  const own = `${method} ${path} ${summary}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => own.includes(word))
}
