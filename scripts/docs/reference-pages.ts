// Generates the reference of search parameters and of settings from the description of the API,
// which has the texts of `server/parse/texts` and the types, bounds, defaults and codes of the
// schemas that read requests.
import type { Description } from '../../server/openapi/index.ts'
import { SETTING_ROUTES } from '../../server/parse/index.ts'
import { anchorOf } from './markdown.ts'
import { innerMembers, type Schema, typeWords } from './schema-words.ts'

const FIRST_RELEASE = '1.50'
/** Examples of more characters stand in a block of their own. */
const INLINE_CHARACTERS_MAX = 90

type Members = { readonly [name: string]: Schema }

function bodyOf({ paths }: Description, method: string, path: string): Schema {
  const operation = paths[path]?.[method] as unknown as {
    readonly requestBody: {
      readonly content: { readonly [type: string]: { readonly schema: Schema } }
    }
  }
  return operation.requestBody.content['application/json']!.schema
}

const bodyMembers = (description: Description, path: string): Members =>
  bodyOf(description, 'post', path).properties ?? {}

const without = (members: Members, others: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !(name in others)))

const contents = (names: readonly string[]): string =>
  `${names.map((name) => `[\`${name}\`](#${anchorOf(name)})`).join(' · ')}\n`

/** One line of JSON with spaces, as people write it. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, own]) => `${JSON.stringify(name)}: ${written(own)}`,
  )
  return `{${members.join(', ')}}`
}

function examplesOf(name: string, { examples = [] }: Schema): string {
  const short: string[] = []
  const long: string[] = []
  for (const example of examples) {
    const line = written({ [name]: example })
    if (line.length <= INLINE_CHARACTERS_MAX) short.push(`\`${line}\``)
    else long.push(`\`\`\`json\n${JSON.stringify({ [name]: example }, null, 2)}\n\`\`\`\n`)
  }
  const inline = short.length === 0 ? '' : `\nExample: ${short.join(', ')}\n`
  return `${inline}${long.map((block) => `\n${block}`).join('')}`
}

const codeLink = (code: string | undefined): string =>
  code === undefined ? '' : `[\`${code}\`](../errors.md#${code})`

const defaultWords = (schema: Schema): string =>
  schema.default === undefined ? '–' : `\`${written(schema.default)}\``

const inCell = (text: string): string => text.replaceAll('|', '\\|')

function innerTable(schema: Schema): string {
  const members = innerMembers(schema)
  if (members.length === 0) return ''
  const rows = members.map(({ path, schema: own }) => {
    const since = own['x-since'] === undefined ? '' : ` Since ${own['x-since']}.`
    const cells = [`\`${path}\``, `${own.description}${since}`, typeWords(own), defaultWords(own)]
    return `| ${cells.map(inCell).join(' | ')} |\n`
  })
  return `\n| member | meaning | type | default |\n|---|---|---|---|\n${rows.join('')}`
}

function entry(name: string, schema: Schema, facts: readonly string[]): string {
  const head = `### ${name}\n\n${schema.description}\n`
  const list = facts.map((fact) => `- ${fact}\n`).join('')
  return `${head}\n${list}${examplesOf(name, schema)}${innerTable(schema)}`
}

const sinceFact = (schema: Schema): string => `Since ${schema['x-since'] ?? FIRST_RELEASE}`

const searchEntry = (name: string, schema: Schema): string =>
  entry(name, schema, [
    `Type: ${typeWords(schema)}`,
    ...(schema.default === undefined ? [] : [`Default: ${defaultWords(schema)}`]),
    `Refused with ${codeLink(schema['x-error-code'])}`,
    sinceFact(schema),
  ])

/** A table of members that other requests have. */
function memberTable(members: Members): string {
  const rows = Object.entries(members).map(([name, schema]) => {
    const since = schema['x-since'] === undefined ? '' : ` Since ${schema['x-since']}.`
    const example = schema.examples?.[0]
    const shown = example === undefined ? '' : ` Example: \`${written(example)}\`.`
    const cells = [
      `\`${name}\``,
      `${schema.description}${since}${shown}`,
      typeWords(schema),
      defaultWords(schema),
      codeLink(schema['x-error-code']),
    ]
    return `| ${cells.map(inCell).join(' | ')} |\n`
  })
  const head = '| member | meaning | type | default | refused with |\n|---|---|---|---|---|\n'
  return `${head}${rows.join('')}`
}

/** Returns docs/reference/search-parameters.md. */
export function searchParametersPage(description: Description): string {
  const search = bodyMembers(description, '/indexes/{indexUid}/search')
  const facetSearch = bodyMembers(description, '/indexes/{indexUid}/facet-search')
  const { queries, federation } = bodyMembers(description, '/multi-search')
  const listed = queries?.items?.properties ?? {}
  const parameters = Object.entries(search).map(([name, schema]) => searchEntry(name, schema))
  return `# Search parameters

This page lists every parameter of a search. The parameters are members of the body of \`POST /indexes/{uid}/search\`, and of each query of \`POST /multi-search\`.
They are also parameters of the query string of \`GET /indexes/{uid}/search\`. In a query string, separate the values of lists by commas, and write
\`attributeWeights\` as \`title:3,*:1\`. Instead of \`hybrid\` and \`personalize\`, use \`hybridEmbedder\`, \`hybridSemanticRatio\`, \`hybridFusion\` and
\`personalizeUserContext\`. Other objects cannot be sent. All parameters are optional. For a parameter without a default, \`null\` has the effect of absence.
[Searching](../searching.md) introduces the parameters with examples; [search semantics](../search-semantics.md) has the exact rules.

${contents(Object.keys(search))}
## Search

${parameters.join('\n')}
## Facet search

\`POST /indexes/{uid}/facet-search\` takes the members of the table, and these members of a search: ${namesOf(facetSearch, search)}. It ignores all others.

${memberTable(without(facetSearch, search))}
## Several searches

The body of \`POST /multi-search\` has the searches in \`queries\` (${typeWords({ ...queries!, items: {} })}). Each search has the parameters of a search, and these:

${memberTable(without(listed, search))}${innerTable({ properties: without(listed, search) })}
With the object \`federation\`, the hits of all searches are one list. Its members:

${memberTable(federation?.properties ?? {})}
## Similar documents

\`POST /indexes/{uid}/similar\`, or \`GET\` with the same parameters:

${memberTable(bodyMembers(description, '/indexes/{indexUid}/similar'))}
## Suggestions

\`POST /indexes/{uid}/suggest\`, or \`GET\` with the same parameters: [suggestions](../suggestions.md).

${memberTable(bodyMembers(description, '/indexes/{indexUid}/suggest'))}`
}

const namesOf = (members: Members, others: Members): string =>
  Object.keys(members)
    .filter((name) => name in others)
    .map((name) => `\`${name}\``)
    .join(', ')

/** Returns docs/reference/settings.md. */
export function settingsPage(description: Description): string {
  const { properties = {} } = bodyOf(description, 'patch', '/indexes/{indexUid}/settings')
  const shown = (description.components.schemas['Settings'] as Schema).properties ?? {}
  const entries = Object.entries(properties).map(([name, schema]) =>
    entry(name, schema, [
      `Type: ${typeWords(schema)}`,
      `Default: ${defaultWords(shown[name] ?? {})}`,
      `Changed by ${changeRoute(name)}`,
      `Refused with ${codeLink(schema['x-error-code'])}`,
      sinceFact(schema),
    ]),
  )
  return `# Settings

This page lists every setting of an index. \`PATCH /indexes/{uid}/settings\` changes the settings in its body. Each setting also has its own route, whose body is only the
value. \`null\` resets a setting, or a member of a setting, to its default. \`DELETE\` resets a setting too. A change is a [task](../concepts-tasks.md). The
defaults are those of a new index. [Tuning](../tuning.md) describes the use of the settings.

${contents(Object.keys(properties))}
## All settings

${entries.join('\n')}`
}

/** Returns the request that changes one setting. */
function changeRoute(name: string): string {
  const { verb, path } = SETTING_ROUTES[name as keyof typeof SETTING_ROUTES]
  return `\`${verb} /indexes/{uid}/settings/${path}\``
}
