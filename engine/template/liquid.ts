// Templates in Liquid: a text with places for the fields of a document or the parts of a search.
// Nothing outside of what is handed in can be reached: no files, no prototypes, no unknown names.
//
// The words of faults are those of the recorded answers, as far as the library tells enough.
import type { Liquid, Template as Parsed } from 'liquidjs'
import { RENDER_MEMORY_MAX, RENDER_MS_MAX, TEMPLATE_LENGTH_MAX } from './limits.ts'

/** `words` end a sentence of the caller. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
  constructor(
    readonly kind: 'parsing' | 'rendering',
    readonly words: string,
  ) {
    super(words)
  }
}

export type Template = (scope: { readonly [name: string]: unknown }) => Promise<string>

/** Of the library, those that have no business in a text: they reach for files or other blocks. */
const TAGS_REMOVED = ['layout', 'block', 'include', 'render', 'liquid', 'echo', '#'] as const
const TAGS = 'assign, break, continue, cycle, decrement, include, increment, render'
const BLOCKS = 'capture, case, comment, for, if, ifchanged, raw, tablerow, unless'
const FILTERS = [
  ...['abs', 'append', 'at_least', 'at_most', 'capitalize', 'ceil', 'compact', 'concat', 'date'],
  ...['default', 'divided_by', 'downcase', 'escape', 'escape_once', 'first', 'floor', 'join'],
  ...['last', 'lstrip', 'map', 'minus', 'modulo', 'newline_to_br', 'plus', 'prepend', 'remove'],
  ...['remove_first', 'replace', 'replace_first', 'reverse', 'round', 'rstrip', 'size', 'slice'],
  ...['sort', 'sort_natural', 'split', 'strip', 'strip_html', 'strip_newlines', 'times'],
  ...['truncate', 'truncatewords', 'uniq', 'upcase', 'url_decode', 'url_encode', 'where'],
] as const
const FILTER_SET: ReadonlySet<string> = new Set(FILTERS)

type Library = Pick<typeof import('liquidjs'), 'Liquid'>

let loading: Promise<Liquid> | null = null

/** @throws TemplateFault */
export async function parseTemplate(text: string): Promise<Template> {
  // Loaded with the first template: most servers never see one.
  loading ??= makeLiquid()
  const liquid = await loading
  const parsed = parse(liquid, text)
  return async (scope) => {
    try {
      return String(await liquid.render(parsed, { ...scope }))
    } catch (error) {
      throw new TemplateFault('rendering', renderingWords(error, scope))
    }
  }
}

async function makeLiquid(): Promise<Liquid> {
  // The same module looks different when it is bundled: everything is then in its default export.
  const library: Library & { readonly default?: Library } = await import('liquidjs')
  const { Liquid } = library.default ?? library
  const liquid = new Liquid({
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    templates: {},
    outputEscape: shown,
    parseLimit: TEMPLATE_LENGTH_MAX,
    renderLimit: RENDER_MS_MAX,
    memoryLimit: RENDER_MEMORY_MAX,
  })
  for (const tag of TAGS_REMOVED) delete liquid.tags[tag]
  for (const filter of Object.keys(liquid.filters)) {
    if (!FILTER_SET.has(filter)) delete liquid.filters[filter]
  }
  liquid.registerFilter('divided_by', (value: unknown, by: unknown) => dividedBy(value, by))
  return liquid
}

/** Whole numbers stay whole, downwards. */
function dividedBy(value: unknown, by: unknown): number {
  const [number, divisor] = [Number(value), Number(by)]
  if (divisor === 0) {
    const filter = `from: Filter error\n  with:\n    filter=divided_by : ${by}\n    input=${value}`
    throw new TemplateFault(
      'rendering',
      `Invalid argument\n  with:\n    argument=operand\n    cause=Can't divide by zero\n${filter}\n`,
    )
  }
  const isWhole = Number.isInteger(number) && Number.isInteger(divisor)
  return isWhole ? Math.floor(number / divisor) : number / divisor
}

/** What a value looks like in a text: the parts of lists and objects one after the other. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(shown).join('')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, part]) => name + shown(part))
    .join('')
}

function parse(liquid: Liquid, text: string): Parsed[] {
  try {
    return liquid.parse(text)
  } catch (error) {
    // Whatever the library does not read; a template is a client's.
    throw new TemplateFault('parsing', parsingWords(error, text))
  }
}

type LibraryError = Error & {
  readonly token?: { readonly begin: number }
  readonly originalError?: Error & { readonly variableName?: string }
}

const causeOf = (error: unknown): Error & { readonly variableName?: string } => {
  const { originalError } = error as LibraryError
  return originalError ?? (error as Error)
}

function parsingWords(error: unknown, text: string): string {
  const { message } = causeOf(error)
  const begin = (error as LibraryError).token?.begin ?? 0
  const tag = /^tag "(.*)" not found$/.exec(message)?.[1]
  if (tag !== undefined) {
    const lists = `    requested=${tag}\n    available tags=${TAGS}\n    available blocks=${BLOCKS}\n`
    const at = text.indexOf(tag, begin)
    return `${frame(text, at, tag.length)}  = Unknown tag.\n  with:\n${lists}`
  }
  const filter = /^undefined filter: (.*)$/.exec(message)?.[1]
  if (filter !== undefined) {
    const lists = `    requested filter=${filter}\n    available filters=${FILTERS.join(', ')}\n`
    return `Unknown filter\n  with:\n${lists}`
  }
  const isOutput = text.startsWith('{{', begin)
  const wanted = text.slice(begin + 2).trim() === '' ? 'expected Value' : 'expected Literal'
  const problem = isOutput && message.includes('not closed') ? wanted : message
  return `${frame(text, begin + 2, 0)}  = ${problem}\n`
}

/** The line of a place with a mark below it; `length` 0: it is not known where it ends. */
function frame(text: string, at: number, length: number): string {
  const before = text.slice(0, at).split('\n')
  const line = before.length
  const column = before[line - 1]!.length
  const mark = length > 1 ? `^${'-'.repeat(length - 2)}^` : '^---'
  const margin = ' '.repeat(String(line).length)
  return (
    `${margin}--> ${line}:${column + 1}\n${margin} |\n${line} | ${text.split('\n')[line - 1]}\n` +
    `${margin} | ${' '.repeat(column)}${mark}\n${margin} |\n`
  )
}

function renderingWords(error: unknown, scope: { readonly [name: string]: unknown }): string {
  const cause = causeOf(error)
  if (cause instanceof TemplateFault) return cause.words
  const { variableName } = cause
  if (variableName === undefined) return `${cause.message}\n`
  const [root = '', ...steps] = variableName.split('.')
  let value: unknown = scope[root]
  if (value === undefined)
    return `Unknown variable\n  with:\n    requested variable=${variableName}\n`
  const path = [root]
  for (const step of steps) {
    const next = memberOf(value, step)
    if (next === undefined) {
      const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
      return (
        `Unknown index\n  with:\n    variable=${path.join('.')}\n    requested index=${step}\n` +
        `    available indexes=${names.join(', ')}\n`
      )
    }
    path.push(step)
    value = next
  }
  return `${cause.message}\n`
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined
