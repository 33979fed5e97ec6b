// The templates of one request: parses every text and renders all of them with one scope, within
// one budget. Pure, so that it runs in a thread or, in tests, inline.
import { encoder } from '../../../format/bytes/index.ts'
import { Budget } from './budget.ts'
import { parsedForTemplate } from './exact-document.ts'
import { TemplateFault } from './fault.ts'
import { loadLibrary, parseTemplate, type Template } from './liquid.ts'
import { documentScope, type Scope, type TemplateDocument } from './scope.ts'

/** The data to render with: nothing, a document, or the parts of a search. */
export type TemplateInput =
  | { readonly kind: 'document'; readonly doc: TemplateDocument }
  | {
      readonly kind: 'stored'
      /** The document as JSON. */
      readonly json: Uint8Array
      readonly searchable: readonly string[]
    }
  | { readonly kind: 'search'; readonly scope: Scope }

export type TemplateJob = {
  /** A text, or JSON with texts anywhere in it. */
  readonly source: unknown
  /** null means that the texts are only parsed. */
  readonly input: TemplateInput | null
}

export type TemplateOutcome =
  /** `{template, rendered}` as JSON; `rendered` is null without an input. */
  | { readonly kind: 'rendered'; readonly json: Uint8Array }
  | {
      readonly kind: 'fault'
      readonly during: TemplateFault['kind']
      readonly words: string
      /** Index of the text with the fault, from 0, or null if it does not concern one text. */
      readonly at: number | null
    }

export const faultOutcome = (
  { kind, words }: Pick<TemplateFault, 'kind' | 'words'>,
  at: number | null = null,
): TemplateOutcome => ({ kind: 'fault', during: kind, words, at })

export async function runTemplateJob({ source, input }: TemplateJob): Promise<TemplateOutcome> {
  // The time of loading is not charged to the client.
  await loadLibrary()
  /** Number of parsed texts, then of rendered texts. */
  const done = { texts: 0 }
  try {
    const budget = new Budget()
    const texts = new Map<string, Template>()
    for (const text of textsIn(source)) {
      if (!texts.has(text)) texts.set(text, await parseTemplate(text, budget))
      done.texts++
    }
    done.texts = 0
    const scope = input === null ? null : scopeOf(input)
    const render = async (text: string): Promise<string> => {
      const rendered = await texts.get(text)!(scope!, budget)
      done.texts++
      return rendered
    }
    const rendered = scope === null ? null : await renderAll(source, render)
    return {
      kind: 'rendered',
      json: encoder.encode(JSON.stringify({ template: source, rendered })),
    }
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error
    return faultOutcome(error, done.texts)
  }
}

function scopeOf(input: TemplateInput): Scope {
  switch (input.kind) {
    case 'document':
      return documentScope(input.doc, null)
    case 'stored': {
      const doc = parsedForTemplate(Buffer.from(input.json).toString()) as TemplateDocument
      return documentScope(doc, input.searchable)
    }
    case 'search':
      return input.scope
  }
}

function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) yield* textsIn(part)
  }
}

/** Paths of the texts in a JSON value, in the order in which they are parsed and rendered. */
export function* textPaths(value: unknown, path = ''): Iterable<string> {
  if (typeof value === 'string') yield path
  else if (Array.isArray(value)) {
    for (const [i, part] of value.entries()) yield* textPaths(part, `${path}[${i}]`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) yield* textPaths(part, `${path}.${name}`)
  }
}

/** Returns the source with every text rendered, one after another. */
async function renderAll(
  source: unknown,
  render: (text: string) => Promise<string>,
): Promise<unknown> {
  const walk = async (value: unknown): Promise<unknown> => {
    if (typeof value === 'string') return render(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const parts: unknown[] = []
      for (const part of value) parts.push(await walk(part))
      return parts
    }
    const entries: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) entries.push([name, await walk(part)])
    return Object.fromEntries(entries)
  }
  return walk(source)
}
