// The server's description of its API, which knows the form of each request. It is read once, when a
// form first needs it.
import { ask } from './server.ts'

/** A JSON schema, as far as the description uses it. */
export type JsonSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly required?: readonly string[]
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly additionalProperties?: boolean | JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

type Body = { readonly content: { readonly [type: string]: { readonly schema: JsonSchema } } }
type Description = {
  readonly paths: {
    readonly [path: string]: { readonly [method: string]: { readonly requestBody?: Body } }
  }
}

let description: Promise<Description> | null = null

/** Returns the schema of the members of a JSON body. @throws ServerError if there is no description */
export async function bodySchema(
  method: 'patch' | 'post',
  path: string,
): Promise<{ readonly [name: string]: JsonSchema }> {
  description ??= ask<Description>('GET', '/openapi.json')
  const read = description
  // A failure is not kept: the next form reads the description again.
  read.catch(() => {
    if (description === read) description = null
  })
  const body = (await read).paths[path]?.[method]?.requestBody
  return body?.content['application/json']?.schema.properties ?? {}
}
