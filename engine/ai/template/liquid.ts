// Templates in Liquid: a text with placeholders for the fields of a document or the parts of a
// search. A template can reach only the data it is passed: no files, no prototypes, no unknown
// names. Parsing and rendering are pure and run in the calling thread; `thread.ts` runs them in
// another one.
//
// The messages of faults are those of the recorded answers, as far as the library provides their
// data.
import type { Context, Emitter, Liquid, Template as Parsed } from 'liquidjs'
import { Budget } from './budget.ts'
import { TemplateFault } from './fault.ts'
import { arithmetic, checkFilterArguments, dividedBy, modulo } from './filter-checks.ts'
import { FILTERS } from './filters.table.ts'
import type { Scope } from './scope.ts'

/**
 * Renders with a scope. The size of the output is charged to the budget, or to a separate budget if
 * none is passed. @throws TemplateFault
 */
export type Template = (scope: Scope, budget?: Budget) => Promise<string>

/** Tags of the library that are removed: they access files or other blocks. */
const TAGS_REMOVED = ['layout', 'block', 'include', 'render', 'liquid', 'echo', '#'] as const
const TAGS = 'assign, break, continue, cycle, decrement, include, increment, render'
const BLOCKS = 'capture, case, comment, for, if, ifchanged, raw, tablerow, unless'

type Library = Pick<typeof import('liquidjs'), 'Context' | 'Liquid' | 'defaultOperators'>
/** The library, loaded. */
export type Loaded = { readonly liquid: Liquid; readonly Context: Library['Context'] }
/** The part of the library's limiters that it calls to charge time and memory. */
type Limiters = ConstructorParameters<Library['Context']>[3]

let loading: Promise<Loaded> | null = null

/** Loads the library with the first template: most servers never need it. */
export function loadLibrary(): Promise<Loaded> {
  loading ??= load()
  return loading
}

/** Time and characters are charged to the budget. @throws TemplateFault */
export async function parseTemplate(text: string, charged?: Budget): Promise<Template> {
  const loaded = await loadLibrary()
  const parsed = parseCharged(loaded, text, charged)
  return async (scope, allowance = new Budget()) => {
    try {
      const context = contextOf(loaded, scope, allowance, false)
      return String(await loaded.liquid.render(parsed, context))
    } catch (error) {
      throw new TemplateFault('rendering', renderingWords(error, scope))
    }
  }
}

/** Renders synchronously in the calling thread. @throws TemplateFault */
export type SyncTemplate = (scope: Scope) => string

/** Returns a parser of templates that render synchronously, for threads without an event loop. */
export const syncTemplateParser =
  (loaded: Loaded) =>
  (text: string): SyncTemplate => {
    const parsed = parseCharged(loaded, text)
    return (scope) => {
      try {
        const context = contextOf(loaded, scope, new Budget(), true)
        return String(loaded.liquid.renderSync(parsed, context))
      } catch (error) {
        throw new TemplateFault('rendering', renderingWords(error, scope))
      }
    }
  }

/** @throws TemplateFault */
function parseCharged({ liquid }: Loaded, text: string, budget = new Budget()): Parsed[] {
  budget.addText(text.length)
  const parsed = parse(liquid, text)
  budget.checkTime('parsing')
  return parsed
}

function contextOf(
  { liquid, Context }: Loaded,
  scope: Scope,
  allowance: Budget,
  sync: boolean,
): Context {
  const limiters = {
    memoryLimit: { use: (count: number) => allowance.use(count) },
    renderLimit: { check: () => allowance.checkTime('rendering') },
    liquid,
  }
  const { options } = liquid
  return new Context({ ...scope }, options, { sync }, limiters as unknown as Limiters)
}

/** Collects output and charges it; the library's collector has no limit. */
class ChargedEmitter implements Emitter {
  buffer = ''
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  write(part: unknown): void {
    const text = typeof part === 'string' ? part : shown(part)
    this.#context.memoryLimit.use(text.length)
    this.buffer += text
  }
}

/** `false` equals `nil`, as recorded: the default template leaves such fields out. */
function withFalseAsNil(operators: Library['defaultOperators']): Library['defaultOperators'] {
  const are = (a: unknown, b: unknown): boolean =>
    (a === false && isNil(b)) || (b === false && isNil(a))
  const equal = operators['==']!
  const differ = operators['!=']!
  return {
    ...operators,
    '==': (a: unknown, b: unknown, context: Context) => are(a, b) || equal(a, b as never, context),
    '!=': (a: unknown, b: unknown, context: Context) =>
      are(a, b) ? false : differ(a, b as never, context),
  }
}

/** The library represents the word `nil` by an object whose value is null. */
const isNil = (value: unknown): boolean =>
  value === null || value === undefined || value.valueOf() === null

async function load(): Promise<Loaded> {
  // When bundled, the module has all its exports in the default export.
  const library: Library & { readonly default?: Library } = await import('liquidjs')
  const { Context, Liquid, defaultOperators } = library.default ?? library
  const liquid = new Liquid({
    operators: withFalseAsNil(defaultOperators),
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    templates: {},
    outputEscape: shown,
  })
  for (const tag of TAGS_REMOVED) delete liquid.tags[tag]
  for (const filter of Object.keys(liquid.filters)) {
    if (!Object.hasOwn(FILTERS, filter)) delete liquid.filters[filter]
  }
  liquid.registerFilter('divided_by', dividedBy)
  liquid.registerFilter('modulo', modulo)
  for (const [name, { isArithmetic }] of Object.entries(FILTERS)) {
    const filter = liquid.filters[name]
    if (isArithmetic && typeof filter === 'function') {
      liquid.registerFilter(name, arithmetic(name, filter as never))
    }
  }
  const { renderer } = liquid
  const renderTemplates = renderer.renderTemplates.bind(renderer)
  // Blocks that store their output request a separate collector.
  renderer.renderTemplates = (templates, context, emitter) =>
    renderTemplates(templates, context, emitter ?? new ChargedEmitter(context))
  return { liquid, Context: withoutMembersOfNull(Context) }
}

/** A member of null is missing, like a missing member of an object. */
const withoutMembersOfNull = (Context: Library['Context']): Library['Context'] =>
  class extends Context {
    override readProperty(value: never, name: never): unknown {
      return value === null ? undefined : super.readProperty(value, name)
    }
  }

/** Returns the text of a value: the parts of lists and objects one after another. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(shown).join('')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, part]) => name + shown(part))
    .join('')
}

/** @throws TemplateFault parsing */
function parse(liquid: Liquid, text: string): Parsed[] {
  const parsed = parsedBy(liquid, text)
  checkFilterArguments(parsed)
  return parsed
}

function parsedBy(liquid: Liquid, text: string): Parsed[] {
  try {
    return liquid.parse(text)
  } catch (error) {
    // Any error means that the client's template is wrong.
    throw new TemplateFault('parsing', parsingWords(liquid, error, text))
  }
}

type LibraryError = Error & {
  /** The location of the error; tokens of tags have a name. */
  readonly token?: { readonly begin: number; readonly name?: string }
  readonly originalError?: Error & { readonly variableName?: string }
}

const causeOf = (error: unknown): Error & { readonly variableName?: string } => {
  const { originalError } = error as LibraryError
  return originalError ?? (error as Error)
}

function parsingWords({ tags }: Liquid, error: unknown, text: string): string {
  const { message } = causeOf(error)
  const { begin = 0, name: tag } = (error as LibraryError).token ?? {}
  if (tag !== undefined && !Object.hasOwn(tags, tag)) {
    const lists = `    requested=${tag}\n    available tags=${TAGS}\n    available blocks=${BLOCKS}\n`
    const at = text.indexOf(tag, begin)
    return `${frame(text, at, tag.length)}  = Unknown tag.\n  with:\n${lists}`
  }
  // The library has no error codes, only messages.
  const filter = /^undefined filter: (.*)$/.exec(message)?.[1]
  if (filter !== undefined) {
    const lists = `    requested filter=${filter}\n    available filters=${Object.keys(FILTERS).join(', ')}\n`
    return `Unknown filter\n  with:\n${lists}`
  }
  const isOutput = text.startsWith('{{', begin)
  const wanted = text.slice(begin + 2).trim() === '' ? 'expected Value' : 'expected Literal'
  const problem = isOutput && message.includes('not closed') ? wanted : message
  return `${frame(text, begin + 2, 0)}  = ${problem}\n`
}

/** Returns the line of a place with a mark below it; `length` 0 if its end is unknown. */
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

function renderingWords(error: unknown, scope: Scope): string {
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
