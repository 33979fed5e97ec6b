// Reads a documentation comment: its text without Markdown, and its tags. Links become their text,
// marks of emphasis and code are removed, the lines of code blocks stay.

export type DocComment = {
  /** The first paragraph on one line. */
  readonly summary: string
  /** The text after the first paragraph; paragraphs are separated by an empty line. */
  readonly description: string
  readonly params: readonly { readonly name: string; readonly text: string }[]
  readonly returns: string
  readonly deprecated: boolean
  /** As written, `v10.0.0`; '' if absent. */
  readonly since: string
  /** The first address in it; '' if absent. */
  readonly url: string
}

type Tag = { readonly name: string; text: string }

/** `comment` with or without its delimiters. */
export function readDocComment(comment: string): DocComment {
  const { body, tags } = splitTags(linesOf(comment))
  const text = (name: string): string =>
    tags
      .filter((tag) => tag.name === name)
      .map((tag) => plainText(tag.text))
      .join('\n\n')
  const paragraphs = plainText(withoutReference(body)).split(/\n{2,}/)
  const notes = paragraphs.slice(1)
  const add = (before: string, words: string) => {
    if (words !== '') notes.push(before === '' ? words : `${before} ${words}`)
  }
  add('Deprecated:', text('deprecated'))
  add('Default:', text('default'))
  add('Throws:', text('throws'))
  add('', text('example'))
  return {
    summary: oneLine(paragraphs[0] ?? ''),
    description: notes.join('\n\n').trim(),
    params: tags.filter((tag) => tag.name === 'param').flatMap(paramOf),
    returns: oneLine(text('return') || text('returns')),
    deprecated: tags.some((tag) => tag.name === 'deprecated'),
    since: /v?\d+(?:\.\d+)*/.exec(text('since'))?.[0] ?? '',
    url: urlOf(body, tags),
  }
}

/** The lines without delimiters and leading stars. */
function linesOf(comment: string): string[] {
  return comment
    .replace(/^\/\*\*+/, '')
    .replace(/\*+\/$/, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*\*(?: |(?=\t)|(?=\S)|$)/, '').trimEnd())
}

/** A tag begins a line and ends before the next one; inside a fenced block there are no tags. */
function splitTags(lines: readonly string[]): { body: string; tags: Tag[] } {
  const body: string[] = []
  const tags: Tag[] = []
  let fenced = false
  for (const line of lines) {
    const tag = fenced ? null : /^\s*@([a-z]+)\b\s*(.*)$/i.exec(line)
    if (/^\s*```/.test(line)) fenced = !fenced
    if (tag !== null) tags.push({ name: tag[1]!.toLowerCase(), text: tag[2]! })
    else if (tags.length > 0) tags.at(-1)!.text += `\n${line}`
    else body.push(line)
  }
  return { body: body.join('\n').trim(), tags }
}

function paramOf(tag: Tag): { name: string; text: string }[] {
  const match = /^(?:\{[^}]*\}\s*)?\[?([\w$.]+)(?:=[^\]]*)?\]?\s*(?:-\s*)?([\s\S]*)$/.exec(tag.text)
  return match === null ? [] : [{ name: match[1]!, text: oneLine(plainText(match[2]!)) }]
}

const REFERENCE = /\[MDN Reference\]\((https?:[^)\s]+)\)/
const withoutReference = (body: string): string => body.replace(REFERENCE, '').trim()

function urlOf(body: string, tags: readonly Tag[]): string {
  const reference = REFERENCE.exec(body)
  if (reference !== null) return reference[1]!
  const see = tags.find((tag) => tag.name === 'see')
  return /https?:[^\s)\]}]+/.exec(see?.text ?? '')?.[0] ?? ''
}

/** Returns prose without Markdown; the lines of fenced blocks stay unchanged. */
function plainText(markdown: string): string {
  return markdown
    .split(/^[ \t]*```.*$/m)
    .map((part, i) => (i % 2 === 0 ? plainProse(part) : part))
    .join('')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function plainProse(markdown: string): string {
  return markdown
    .replace(/\{@link(?:code|plain)?\s+([^}\s|]+)(?:\s*\|?\s*([^}]*))?\}/g, linkText)
    .replace(/!?\[([^\]]*)\]\(([^()\s]|\([^()]*\))*\)/g, '$1')
    .replace(/\*\*(\S(?:[^*]*\S)?)\*\*/g, '$1')
    .replace(/(^|[\s(])_(\w[^_\n]*\w|\w)_(?=[\s).,;:]|$)/gm, '$1$2')
    .replace(/`+/g, '')
}

const linkText = (_: string, target: string, text: string | undefined): string =>
  text === undefined || text.trim() === '' ? target : text.trim()

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
