// Generates docs/api.md from the description of the API: every route with the right that it needs,
// its parameters and the members of its body.
import type { Description } from '../../server/openapi/index.ts'

const HEAD = `# HTTP API

This page lists every route of the server. Requests and answers are JSON in UTF-8. If the server has a
master key, requests need the header \`Authorization: Bearer KEY\`, with a key that permits the action in
the second column. \`svc-tools openapi\` writes the complete description as OpenAPI 3.1, with all types. A
server in development shows this description at \`/openapi\`. Other pages explain the members: [search
parameters](reference/search-parameters.md), [settings](reference/settings.md), [errors](errors.md).
`

type Schema = { readonly properties?: { readonly [name: string]: unknown } }
type Operation = {
  readonly summary: string
  readonly tags: readonly string[]
  readonly 'x-action'?: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: { readonly [type: string]: { schema: Schema } } }
}
type Row = { readonly request: string; readonly operation: Operation }

const SETTING = /^\w+ \/indexes\/\{indexUid\}\/settings\/[a-z-]+$/

export function apiPage({ paths, tags }: Description): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      request: `${method.toUpperCase()} ${path}`,
      operation: operation as unknown as Operation,
    })),
  )
  const names = (tags as unknown as readonly { readonly name: string }[]).map(({ name }) => name)
  const sections = names.map((name) => {
    const own = rows.filter(({ operation }) => operation.tags[0] === name)
    return sectionOf(name, own)
  })
  return `${HEAD}\n${sections.join('\n')}`
}

function sectionOf(name: string, rows: readonly Row[]): string {
  const whole = rows.filter(({ request }) => !SETTING.test(request))
  const settings = rows.filter(({ request }) => SETTING.test(request))
  const lines = whole.map(({ request, operation }) => {
    const action = operation['x-action']
    const right = action === undefined ? '–' : `\`${action}\``
    return `| \`${request}\` | ${right} | ${operation.summary} | ${namesOf(operation)} |\n`
  })
  const head = '| request | action | what it does | parameters and members |\n|---|---|---|---|\n'
  return `## ${name}\n\n${head}${lines.join('')}${settingsOf(settings)}`
}

/** Returns the routes of single settings, which differ only in their names. */
function settingsOf(rows: readonly Row[]): string {
  const changes = rows.filter(({ request }) => /^(?:PUT|PATCH) /.test(request))
  if (changes.length === 0) return ''
  const lines = changes.map(({ request }) => `- \`${request}\`\n`)
  return `\nEach setting also has its own routes. \`GET\` reads the setting, \`DELETE\` resets it, and these requests change it:\n\n${lines.join('')}`
}

function namesOf({ parameters = [], requestBody }: Operation): string {
  const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const schema = requestBody?.content['application/json']?.schema
  const all = [...query, ...Object.keys(schema?.properties ?? {})]
  return all.map((name) => `\`${name}\``).join(', ')
}
