// The sections of the pages as documents of an index, which the search of the site finds. A section
// is the text from a heading to the next one.
import { marked, type Token, type Tokens } from 'marked'
import { anchorOf } from '../markdown.ts'
import { withoutFooter } from '../navigation.ts'
import { PAGES } from '../pages.table.ts'
import { htmlName } from '../site.ts'

export type Section = {
  /** The address, with a dash for each character that ids of documents must not have. */
  readonly id: string
  /** Address on the site; the first section of a page has no anchor. */
  readonly url: string
  /** Title of the page. */
  readonly page: string
  readonly heading: string
  /** The headings above it on its page, without the first. */
  readonly above: readonly string[]
  readonly text: string
  /** Text of the fenced blocks. */
  readonly code: string
}

/** Returns the sections in reading order. `read` returns the text of a page by its name in docs/. */
export const sectionsOf = (read: (page: string) => string): readonly Section[] =>
  PAGES.flatMap(({ file, title }) => sectionsOfPage(htmlName(file), title, read(file)))

function sectionsOfPage(file: string, page: string, markdown: string): readonly Section[] {
  const found: Section[] = []
  /** The current heading and those above it. */
  const headings: Tokens.Heading[] = []
  let text: string[] = []
  let code: string[] = []
  const close = (): void => {
    const own = headings.at(-1)
    if (own === undefined) return
    const url = own.depth === 1 ? file : `${file}#${anchorOf(own.text)}`
    const above = headings.slice(1, -1).map(({ tokens }) => plain(tokens))
    const id = url.replaceAll(/[^\w-]/g, '-')
    const heading = plain(own.tokens)
    found.push({ id, url, page, heading, above, text: text.join('\n'), code: code.join('\n') })
    text = []
    code = []
  }
  for (const token of marked.lexer(withoutFooter(markdown))) {
    if (token.type === 'heading') {
      close()
      const heading = token as Tokens.Heading
      while ((headings.at(-1)?.depth ?? 0) >= heading.depth) headings.pop()
      headings.push(heading)
    } else if (token.type === 'code') code.push((token as Tokens.Code).text)
    else if (token.type !== 'space') text.push(plain([token]))
  }
  close()
  return found
}

/** Returns the text of tokens without their marks. */
const plain = (tokens: readonly Token[]): string => tokens.map(plainOf).join('').trim()

function plainOf(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return ''
  if (token.type === 'list') {
    return (token as Tokens.List).items.map((item) => `${plain(item.tokens)}\n`).join('')
  }
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    const line = (cells: readonly Tokens.TableCell[]): string =>
      cells.map(({ tokens }) => plain(tokens)).join(' · ')
    return [header, ...rows].map(line).join('\n')
  }
  const { tokens, text = '' } = token as Tokens.Generic
  return tokens === undefined ? text.replaceAll('\n', ' ') : tokens.map(plainOf).join('')
}
