// Turns declaration files into the demo's documents: one for each documented module, type, member,
// function, variable and event of the Web, JavaScript and Node.js. Ids are slugs like `Array-
// prototype-map`, numbered where a name is overloaded, and the same whenever the same files are
// read in the same order.
import { type Declaration, type DeclarationKind, scanDeclarations } from './declarations.ts'
import { readDocComment } from './doc-comment.ts'

type ApiSource = 'web' | 'node' | 'javascript'

export type ApiDocument = {
  readonly id: string
  /** `Array.map`, `fs.readFile`, `Intl`; the same for all overloads. */
  readonly title: string
  readonly name: string
  /** The words of a compound name, `read file sync`. */
  readonly words?: string
  readonly kind: DeclarationKind | 'event'
  /** Its owner: a type, a namespace, a module. */
  readonly owner?: string
  readonly module: string
  readonly source: ApiSource
  readonly signature: string
  readonly summary?: string
  readonly description?: string
  readonly params?: readonly { readonly name: string; readonly text: string }[]
  readonly returns?: string
  readonly deprecated: boolean
  /** `v10.4.0` of Node.js, `ES2015` of JavaScript. */
  readonly since?: string
  /** Ascends with `since` within a source, unlike the text. */
  readonly sinceOrder?: number
  readonly url?: string
}

export type TypeFile = {
  readonly source: ApiSource
  /** The module of declarations outside of any `declare module`. */
  readonly module: string
  readonly since: string
  /** Repeats much of an earlier file: only new names are used. */
  readonly supplement: boolean
  readonly text: string
}

/** Well below the limit of 511 bytes for ids, which includes a number for overloads. */
const SLUG_CHARACTERS_MAX = 400

/** Returns documents for everything documented in `files`, in their order. */
export function apiDocuments(files: readonly TypeFile[]): ApiDocument[] {
  const scanned = files.map((file) => ({ file, declarations: scanDeclarations(file.text) }))
  const typeNames = new Set<string>()
  for (const { declarations } of scanned) {
    for (const { kind, name } of declarations) {
      if (kind === 'interface' || kind === 'class') typeNames.add(name)
    }
  }
  const collection: Collection = {
    documents: [],
    ids: new Set(),
    bases: new Set(),
    said: new Set(),
  }
  for (const { file, declarations } of scanned) {
    const earlier = file.supplement ? new Set(collection.bases) : collection.bases
    for (const declaration of declarations) {
      if (declaration.comment === '' || declaration.name.startsWith('__')) continue
      if (declaration.path.some((part) => TYPE_ONLY.test(part))) continue
      const place = placeOf(declaration, file, typeNames)
      if (file.supplement && earlier.has(`${file.source} ${place.slug}`)) continue
      collect(collection, declaration, file, place)
    }
  }
  return collection.documents
}

type Collection = {
  readonly documents: ApiDocument[]
  readonly ids: Set<string>
  /** Source and slug, without the numbers of overloads. */
  readonly bases: Set<string>
  /** Keys of used comments: the comment with the slug, and with the name of a member. */
  readonly said: Set<string>
}

type Place = {
  readonly name: string
  readonly kind: ApiDocument['kind']
  readonly owner: string
  readonly module: string
  readonly slug: string
}

function collect(into: Collection, declaration: Declaration, file: TypeFile, place: Place): void {
  const { source } = file
  const { name, kind, owner, module, slug } = place
  // Overloads that share one comment are one document; a global and the equal member of `Window`
  // are one as well.
  const said = `${source} ${slug} ${declaration.comment}`
  const saidOfMember = `${source} member ${name} ${declaration.comment}`
  if (into.said.has(said) || (owner === '' && into.said.has(saidOfMember))) return
  into.said.add(said)
  if (owner !== '') into.said.add(saidOfMember)
  into.bases.add(`${source} ${slug}`)

  const comment = readDocComment(declaration.comment)
  const since = comment.since || file.since
  const url = pageOf(file.source, module, comment.url)
  const words = wordsOf(name)
  const order = sinceOrder(since)
  into.documents.push({
    id: unused(into.ids, slug),
    title: owner === '' ? name : `${owner}.${name}`,
    name,
    ...(words === '' ? {} : { words }),
    kind,
    ...(owner === '' ? {} : { owner }),
    module,
    source,
    signature: declaration.signature,
    ...(comment.summary === '' ? {} : { summary: comment.summary }),
    ...(comment.description === '' ? {} : { description: comment.description }),
    ...(comment.params.length === 0 ? {} : { params: comment.params }),
    ...(comment.returns === '' ? {} : { returns: comment.returns }),
    deprecated: comment.deprecated,
    ...(since === '' ? {} : { since }),
    ...(order < 0 ? {} : { sinceOrder: order }),
    ...(url === '' ? {} : { url }),
  })
}

/** Mixins that exist only in the declarations: their members count as members of `Window`. */
const WINDOW_PARTS = /^(?:WindowOrWorkerGlobalScope|Window[A-Z]\w*|AnimationFrameProvider)$/
/** They exist only for the compiler and repeat the types of which they are read-only views. */
const TYPE_ONLY = /^Readonly(?:Array|Map|Set|SetLike)$/
const EMITTER_METHODS = /^(?:on|once|addListener|prependListener|prependOnceListener)$/
const EVENT_NAME = /\(\s*event(?:Name)?: ["']([^"']+)["']/

function placeOf(d: Declaration, file: TypeFile, typeNames: ReadonlySet<string>): Place {
  const module = d.module === '' ? file.module : d.module.replace(/^node:/, '')
  const path = d.path.filter((part) => part !== 'NodeJS')
  let isStatic = d.isStatic
  const last = path.at(-1) ?? ''
  const constructed = /^(.+)Constructor$/.exec(last)?.[1]
  if (constructed !== undefined && typeNames.has(constructed)) {
    path[path.length - 1] = constructed
    isStatic = true
  } else if (file.source === 'web' && WINDOW_PARTS.test(last)) path[path.length - 1] = 'Window'

  const isMember = d.kind === 'method' || d.kind === 'property'
  const event = eventOf(d)
  const name = event || nameOf(d, typeNames)
  const inModule = file.source === 'node' && d.kind !== 'module'
  const owner = path.join('.') || (inModule ? module : '')
  const parts = inModule && path[0] !== module ? [module, ...path] : [...path]
  if (isMember && !isStatic && event === '') parts.push('prototype')
  if (event !== '') parts.push('event')
  const kind = event === '' ? d.kind : 'event'
  return { name, kind, owner, module, slug: slugOf([...parts, name]) }
}

/** A callable `XConstructor` is the function `X`; a module is named without its scheme. */
function nameOf(d: Declaration, typeNames: ReadonlySet<string>): string {
  if (d.kind === 'module') return d.name.replace(/^node:/, '')
  const constructed = d.kind === 'function' ? /^(.+)Constructor$/.exec(d.name)?.[1] : undefined
  return constructed !== undefined && typeNames.has(constructed) ? constructed : d.name
}

/**
 * Returns the event of a handler property (`onabort`) or a listener's overload (`on(event:
 * 'close')`).
 */
function eventOf(d: Declaration): string {
  if (d.kind === 'method' && EMITTER_METHODS.test(d.name))
    return EVENT_NAME.exec(d.signature)?.[1] ?? ''
  if (d.kind !== 'property' && d.kind !== 'variable') return ''
  return /^on[a-z]+$/.test(d.name) && d.signature.includes('=> any') ? d.name.slice(2) : ''
}

const slugOf = (parts: readonly string[]): string =>
  parts
    .join('-')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, SLUG_CHARACTERS_MAX) || 'unnamed'

function unused(ids: Set<string>, slug: string): string {
  let id = slug
  for (let number = 2; ids.has(id); number++) id = `${slug}-${number}`
  ids.add(id)
  return id
}

/**
 * `readFileSync` → `read file sync`, `XMLHttpRequest` → `xml http request`; '' for a single word.
 */
function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  return words.length < 2 ? '' : words.join(' ').toLowerCase()
}

/** Pages of the Node.js documentation that are not named after the module. */
const NODE_PAGES: Readonly<Record<string, string>> = {
  'stream/web': 'webstreams',
  sea: 'single-executable-applications',
  trace_events: 'tracing',
}

function pageOf(source: ApiSource, module: string, url: string): string {
  if (source !== 'node') return url
  if (url !== '' && !url.includes('/nodejs/node/blob/')) return url
  return `https://nodejs.org/api/${NODE_PAGES[module] ?? module.split('/')[0]}.html`
}

/** v1.2.3 → 10203, ES2015 → 2015; -1 if unknown. */
function sinceOrder(since: string): number {
  if (since === 'ESNext') return 9999
  const year = /^ES(\d{4})$/.exec(since)
  if (year !== null) return Number(year[1])
  const version = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(since)
  if (version === null) return since === 'ES5' ? 2009 : -1
  const [major, minor, patch] = [version[1], version[2] ?? '0', version[3] ?? '0'].map(Number)
  return major! * 10_000 + minor! * 100 + patch!
}
